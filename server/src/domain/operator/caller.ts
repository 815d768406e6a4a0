import { appendAudit, type AuditEvent } from "#domain/audit/index.ts";
import type { Identity } from "#domain/identity/index.ts";
import type { Clock } from "#kernel/time.ts";
import type { MetadataStore, Writer } from "#stores/metadata/index.ts";

/** The operator who acts, and the origin of the request. */
export interface OperatorCaller {
  readonly actor: AuditEvent["actor"];
  readonly ip: string | null;
  readonly requestId: string | null;
}

export interface OperatorDeps {
  readonly metadata: MetadataStore;
  readonly clock: Clock;
}

/** For acts that take effect on every node before they are answered. */
export interface PropagatingDeps extends OperatorDeps {
  readonly feed: Pick<Identity["feed"], "sync" | "propagate">;
}

type Act = Pick<AuditEvent, "action" | "target" | "detail">;

/** Appends an act of the operator to the audit log of the installation. */
export async function auditOperator(deps: OperatorDeps, tx: Writer, by: OperatorCaller, act: Act): Promise<void> {
  await appendAudit(deps, tx, { ...by, orgId: null, result: "success", ...act });
}

/** Appends an act on an organization to its audit log and to that of the installation. */
export async function auditOnOrganization(
  deps: OperatorDeps,
  tx: Writer,
  by: OperatorCaller,
  orgId: string,
  act: Omit<Act, "target">,
): Promise<void> {
  const target = { kind: "organization", id: orgId };
  await appendAudit(deps, tx, { ...by, orgId, result: "success", target, ...act });
  await auditOperator(deps, tx, by, { ...act, target });
}
