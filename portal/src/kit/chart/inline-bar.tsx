import type { ReactNode } from "react";
import { cn } from "../cn.ts";

export type BarKind = "go" | "none" | "warn" | "stop";

const FILLS: Readonly<Record<BarKind, string>> = {
  go: "var(--s1)",
  none: "var(--s1)",
  warn: "var(--lv-warn)",
  stop: "var(--lv-error)",
};

/** A bar within a row of a table. `isTracked` shows the whole, for the used part of a quota. */
export function InlineBar({
  share,
  kind = "go",
  isTracked = false,
  className = "w-[72px]",
}: {
  /** From 0 to 1. */
  share: number;
  kind?: BarKind;
  isTracked?: boolean;
  className?: string;
}): ReactNode {
  return (
    <span
      aria-hidden="true"
      className={cn(
        "inline-block h-2 overflow-hidden align-middle",
        isTracked && "bg-well shadow-[inset_0_0_0_1px_var(--line)]",
        className,
      )}
    >
      <i
        className="block h-full"
        style={{ width: `${Math.max(0, Math.min(1, share)) * 100}%`, background: FILLS[kind] }}
      />
    </span>
  );
}
