import type { ReactNode } from "react";
import { State, type StateKind } from "~/kit/state.tsx";
import { levelOf } from "./levels.ts";

const KINDS: Readonly<Record<string, StateKind>> = { fatal: "stop", error: "stop", warn: "warn" };

/** Shows a level in the sender's spelling, with the colour and shape of its severity. */
export function Level({ level, severity }: { level: string; severity: number | null }): ReactNode {
  return (
    <span className="mono">
      <State kind={KINDS[levelOf(severity)] ?? "none"}>{level}</State>
    </span>
  );
}

/** Shows a level by its name. */
export function LevelName({ name }: { name: string }): ReactNode {
  return <State kind={KINDS[name] ?? "none"}>{name}</State>;
}
