import { auditActorOf, type Principal } from "#domain/identity/index.ts";
import type { QueryActor } from "#stores/telemetry/index.ts";

/** Returns the actor whose queries share the limits, and who sees them. A person's tokens act as the person. */
export function queryActorOf(principal: Principal): QueryActor {
  const { kind, id } = auditActorOf(principal);
  return { kind: kind === "person" ? "person" : "credential", id: id ?? principal.id };
}
