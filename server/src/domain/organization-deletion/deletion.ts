import { ORGANIZATION_GRACE_DAYS } from "@mooring/contract";
import { appendAudit, type AuditEvent } from "#domain/audit/index.ts";
import { absent, appendAuthChange, type Identity } from "#domain/identity/index.ts";
import { organizationById, type Organization } from "#domain/organizations/index.ts";
import { beginDeletion, endDeletion, isBeingErased } from "#domain/suspension/index.ts";
import { Problem } from "#kernel/problem.ts";
import { isoFromMs, type Clock } from "#kernel/time.ts";
import { wakeGroup, type Jobs } from "#stores/jobs/index.ts";
import type { MetadataStore, Writer } from "#stores/metadata/index.ts";

/** The job that deletes everything in an organization. Its key is the organization's id. */
export const ERASE_ORGANIZATION = "organization.erase";

const GRACE_MS = ORGANIZATION_GRACE_DAYS * 24 * 3_600_000;

/** The owner or operator who acts, and the origin of the request. */
export interface DeletionCaller {
  readonly actor: AuditEvent["actor"];
  readonly ip: string | null;
  readonly requestId: string | null;
}

export interface OrganizationDeletionDeps {
  readonly metadata: MetadataStore;
  readonly clock: Clock;
  readonly feed: Pick<Identity["feed"], "sync" | "propagate">;
  readonly jobs: Pick<Jobs, "put" | "remove">;
}

/** The organization after the change. `propagated`: every live node has applied it. */
export interface Changed {
  readonly organization: Organization;
  readonly propagated: boolean;
}

/**
 * Deletes an organization: it is blocked at once, and after the grace period a job deletes everything in it. A second
 * request changes nothing.
 * @throws Problem `not_found`
 */
export async function deleteOrganization(
  deps: OrganizationDeletionDeps,
  by: DeletionCaller,
  orgId: string,
): Promise<Changed> {
  const { clock, jobs } = deps;
  return change(deps, orgId, async (tx, organization) => {
    if (organization.deletes_at !== null) return false;
    const deletesAtMs = clock.nowMs() + GRACE_MS;
    await beginDeletion(tx, organization, { atMs: clock.nowMs(), deletesAtMs });
    await jobs.put(tx, { kind: ERASE_ORGANIZATION, key: orgId, group: ERASE_ORGANIZATION, dueAtMs: deletesAtMs });
    const detail = { slug: organization.slug, deletes_at: isoFromMs(deletesAtMs) };
    await auditBoth(deps, tx, by, orgId, { action: "organization.delete", detail });
    return true;
  });
}

/**
 * Keeps a deleted organization. The state from before the deletion returns.
 * @throws Problem `not_found`; `conflict` if it was not deleted, or if its data is already being deleted
 */
export async function keepOrganization(
  deps: OrganizationDeletionDeps,
  by: DeletionCaller,
  orgId: string,
): Promise<Changed> {
  return change(deps, orgId, async (tx, organization) => {
    if (organization.deletes_at === null) throw new Problem("conflict", "The organization was not deleted.");
    if (isBeingErased(organization) || organization.deletes_at <= deps.clock.nowMs())
      throw new Problem("conflict", "The grace period has ended, and the data of the organization is being deleted.");
    await endDeletion(tx, organization);
    await deps.jobs.remove(tx, ERASE_ORGANIZATION, orgId);
    await wakeGroup(deps, tx, orgId);
    await auditBoth(deps, tx, by, orgId, { action: "organization.keep", detail: { slug: organization.slug } });
    return true;
  });
}

async function change(
  deps: OrganizationDeletionDeps,
  orgId: string,
  work: (tx: Writer, organization: Organization) => Promise<boolean>,
): Promise<Changed> {
  const { metadata, feed } = deps;
  const { organization, seq } = await metadata.write(async (tx) => {
    await metadata.lock(tx, `organization:${orgId}`);
    const found = await organizationById(tx, orgId);
    if (found === undefined) throw absent();
    if (!(await work(tx, found))) return { organization: found, seq: null };
    const announced = await appendAuthChange(deps, tx, { kind: "organization", subject: orgId });
    return { organization: await organizationById(tx, orgId), seq: announced };
  });
  if (organization === undefined) throw absent();
  if (seq === null) return { organization, propagated: true };
  await feed.sync();
  return { organization, propagated: await feed.propagate(seq) };
}

/** The log of the organization is deleted with it, so the installation's log has the entry, too. */
async function auditBoth(
  deps: Pick<OrganizationDeletionDeps, "metadata" | "clock">,
  tx: Writer,
  by: DeletionCaller,
  orgId: string,
  act: Pick<AuditEvent, "action" | "detail">,
): Promise<void> {
  const { actor, ip, requestId } = by;
  const entry = {
    actor,
    ip,
    requestId,
    result: "success",
    target: { kind: "organization", id: orgId },
    ...act,
  } as const;
  await appendAudit(deps, tx, { ...entry, orgId });
  await appendAudit(deps, tx, { ...entry, orgId: null });
}
