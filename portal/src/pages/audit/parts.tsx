import type { ReactNode } from "react";
import { visibleText } from "~/kit/foreign.ts";
import { Badge, State } from "~/kit/state.tsx";
import { markOf, type AuditEntry, type Mark } from "./entry.ts";

/** Shows the actor, by name if it has one. */
export function Who({
  entry: { actor },
  nameOf,
}: {
  entry: AuditEntry;
  nameOf: (id: string) => string | undefined;
}): ReactNode {
  if (actor.id === null) return <i className="text-ink-2">{actor.kind === "system" ? "the server" : "nobody known"}</i>;
  const name = nameOf(actor.id);
  return (
    <span title={actor.id}>
      {name === undefined ? <code>{actor.id}</code> : visibleText(name)}{" "}
      {actor.kind === "credential" && <Badge>credential</Badge>}
    </span>
  );
}

/**
 * Shows the target: its kind, and its name or the end of its id. The full id is shown on hover and in the inspector.
 */
export function Target({
  of: target,
  nameOf,
}: {
  of: AuditEntry["target"];
  nameOf: (id: string) => string | undefined;
}): ReactNode {
  if (target === null) return null;
  const name = nameOf(target.id);
  return (
    <span title={target.id}>
      {target.kind.replaceAll("_", " ")}{" "}
      {name === undefined ? <code className="text-ink-2">…{target.id.slice(-8)}</code> : visibleText(name)}
    </span>
  );
}

const MARKS: Readonly<Record<Mark, readonly ["warn" | "stop", string]>> = {
  revoked: ["stop", "revoked"],
  rights: ["warn", "rights"],
  secret: ["warn", "secret"],
  refused: ["stop", "refused"],
};

/** Shows the action. Important actions have a mark. */
export function Action({ entry }: { entry: AuditEntry }): ReactNode {
  const mark = markOf(entry);
  return (
    <span className="inline-flex items-center gap-2">
      <span className="mono">{entry.action}</span>
      {mark !== null && mark !== "refused" && <State kind={MARKS[mark][0]}>{MARKS[mark][1]}</State>}
    </span>
  );
}

export function Result({ result }: { result: AuditEntry["result"] }): ReactNode {
  if (result === "success") return <State kind="go">done</State>;
  return <State kind="stop">{result === "denied" ? "refused" : "failed"}</State>;
}
