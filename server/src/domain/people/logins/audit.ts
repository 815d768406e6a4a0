import { auditPerson } from "#domain/accounts/index.ts";
import { appendAudit } from "#domain/audit/index.ts";
import type { Writer } from "#stores/metadata/index.ts";
import type { Origin, PeopleDeps } from "../deps.ts";

/** Writes an event of a login to the log of its organization. Without one: of each organization of the person. */
export async function auditLogin(
  deps: Pick<PeopleDeps, "metadata" | "clock">,
  tx: Writer,
  event: {
    readonly orgId: string | null;
    readonly userId: string;
    readonly id: string | null;
    readonly action: "login.create" | "login.end" | "login.deny" | "login.reuse";
    readonly origin: Pick<Origin, "ip" | "requestId">;
    readonly detail: Record<string, unknown>;
  },
): Promise<void> {
  const { orgId, userId, id, action, origin, detail } = event;
  if (orgId === null) return auditPerson(deps, tx, userId, { action, origin, detail });
  await appendAudit(deps, tx, {
    orgId,
    actor: { kind: "person", id: userId },
    action,
    target: id === null ? { kind: "user", id: userId } : { kind: "login", id },
    result: action === "login.reuse" ? "denied" : "success",
    ip: origin.ip,
    requestId: origin.requestId,
    detail,
  });
}
