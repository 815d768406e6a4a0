import { appendAudit, type AuditEvent } from "#domain/audit/index.ts";
import { foundOrganization } from "#domain/organizations/index.ts";
import type { Origin, PeopleDeps } from "../deps.ts";
import type { Session } from "../sessions/sessions.ts";

/** Makes an organization, and says in the installation's own log who did. @throws Problem `conflict` */
export async function createOrganization(
  deps: PeopleDeps,
  session: Session,
  input: { readonly slug: string; readonly name: string; readonly ownerEmail: string },
  origin: Origin,
): Promise<{ id: string; slug: string; name: string; setupToken: string | null }> {
  const { organization, setupToken } = await foundOrganization(deps, input);
  const { id, slug, name } = organization;
  const target = { kind: "organization", id };
  await auditInstance(deps, session, { action: "organization.create", target, detail: { slug } }, origin);
  return { id, slug, name, setupToken };
}

/** Records what somebody did with the server itself, which is no organization's. */
export async function auditInstance(
  deps: PeopleDeps,
  session: Session,
  event: Pick<AuditEvent, "action" | "target" | "detail">,
  { ip, requestId }: Origin,
): Promise<void> {
  const actor = { kind: "person", id: session.userId } as const;
  await deps.metadata.write((tx) =>
    appendAudit(deps, tx, { orgId: null, actor, result: "success", ip, requestId, ...event }),
  );
}
