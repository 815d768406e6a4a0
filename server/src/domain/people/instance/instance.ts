import { appendAudit, type AuditEvent } from "#domain/audit/index.ts";
import { createOrganizationFor } from "#domain/organizations/index.ts";
import type { Origin, PeopleDeps } from "../deps.ts";

/** Creates an organization, and writes it to the installation's own audit log. @throws Problem `conflict` */
export async function createOrganization(
  deps: PeopleDeps,
  by: Pick<AuditEvent, "actor">,
  input: { readonly slug: string; readonly name: string; readonly ownerEmail: string },
  origin: Origin,
): Promise<{ id: string; slug: string; name: string; setupToken: string | null }> {
  const { organization, setupToken } = await createOrganizationFor(deps, input);
  const { id, slug, name } = organization;
  const target = { kind: "organization", id };
  await auditInstance(deps, by, { action: "organization.create", target, detail: { slug } }, origin);
  return { id, slug, name, setupToken };
}

/** Appends an event about the server itself to the audit log. It belongs to no organization. */
export async function auditInstance(
  deps: PeopleDeps,
  { actor }: Pick<AuditEvent, "actor">,
  event: Pick<AuditEvent, "action" | "target" | "detail">,
  { ip, requestId }: Origin,
): Promise<void> {
  await deps.metadata.write((tx) =>
    appendAudit(deps, tx, { orgId: null, actor, result: "success", ip, requestId, ...event }),
  );
}
