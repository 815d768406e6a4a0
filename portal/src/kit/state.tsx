import type { ReactNode } from "react";
import { cn } from "./cn.ts";

export type StateKind = "go" | "warn" | "stop" | "none";

const COLOURS: Record<StateKind, string> = { go: "text-go", warn: "text-warn", stop: "text-stop", none: "text-ink-3" };

/**
 * A state with a colour and a shape: a disc is good, a triangle is a warning, a square is stopped, a ring is none of
 * these.
 */
export function State({ kind, children }: { kind: StateKind; children: ReactNode }): ReactNode {
  return (
    <span className={cn("inline-flex items-center gap-1.5 whitespace-nowrap", COLOURS[kind])}>
      <svg width="9" height="9" viewBox="0 0 9 9" aria-hidden="true" className="shrink-0">
        {kind === "go" && <circle cx="4.5" cy="4.5" r="4" fill="currentColor" />}
        {kind === "warn" && <path d="M4.5 0 9 9H0z" fill="currentColor" />}
        {kind === "stop" && <path d="M0 0h9v9H0z" fill="currentColor" />}
        {kind === "none" && <circle cx="4.5" cy="4.5" r="3.5" fill="none" stroke="currentColor" />}
      </svg>
      {children}
    </span>
  );
}

/** A label that is not a state. */
export function Badge({ children }: { children: ReactNode }): ReactNode {
  return <span className="rounded border border-line-2 px-1.5 text-s whitespace-nowrap text-ink-2">{children}</span>;
}
