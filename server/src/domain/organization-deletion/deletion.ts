import { ORGANIZATION_GRACE_DAYS } from "@mooring/contract";
import {
  auditOnOrganization,
  changeAnnounced,
  type OperatorCaller,
  type PropagatingDeps,
  type StateChange,
} from "#domain/operator/index.ts";
import { beginDeletion, endDeletion, isBeingErased } from "#domain/suspension/index.ts";
import { Problem } from "#kernel/problem.ts";
import { isoFromMs } from "#kernel/time.ts";
import { wakeGroup, type Jobs } from "#stores/jobs/index.ts";

/** The job that deletes everything in an organization. Its key is the organization's id. */
export const ERASE_ORGANIZATION = "organization.erase";

const GRACE_MS = ORGANIZATION_GRACE_DAYS * 24 * 3_600_000;

export interface OrganizationDeletionDeps extends PropagatingDeps {
  readonly jobs: Pick<Jobs, "put" | "remove">;
}

/**
 * Deletes an organization: it is blocked at once, and after the grace period a job deletes everything in it. A second
 * request changes nothing.
 * @throws Problem `not_found`
 */
export async function deleteOrganization(
  deps: OrganizationDeletionDeps,
  by: OperatorCaller,
  orgId: string,
): Promise<StateChange> {
  const { clock, jobs } = deps;
  return changeAnnounced(deps, orgId, async (tx, organization) => {
    if (organization.deletes_at !== null) return false;
    const deletesAtMs = clock.nowMs() + GRACE_MS;
    await beginDeletion(tx, organization, { atMs: clock.nowMs(), deletesAtMs });
    await jobs.put(tx, { kind: ERASE_ORGANIZATION, key: orgId, group: ERASE_ORGANIZATION, dueAtMs: deletesAtMs });
    const detail = { slug: organization.slug, deletes_at: isoFromMs(deletesAtMs) };
    await auditOnOrganization(deps, tx, by, orgId, { action: "organization.delete", detail });
    return true;
  });
}

/**
 * Keeps a deleted organization. The state from before the deletion returns.
 * @throws Problem `not_found`; `conflict` if it was not deleted, or if its data is already being deleted
 */
export async function keepOrganization(
  deps: OrganizationDeletionDeps,
  by: OperatorCaller,
  orgId: string,
): Promise<StateChange> {
  return changeAnnounced(deps, orgId, async (tx, organization) => {
    if (organization.deletes_at === null) throw new Problem("conflict", "The organization was not deleted.");
    if (isBeingErased(organization) || organization.deletes_at <= deps.clock.nowMs())
      throw new Problem("conflict", "The grace period has ended, and the data of the organization is being deleted.");
    await endDeletion(tx, organization);
    await deps.jobs.remove(tx, ERASE_ORGANIZATION, orgId);
    await wakeGroup(deps, tx, orgId);
    await auditOnOrganization(deps, tx, by, orgId, {
      action: "organization.keep",
      detail: { slug: organization.slug },
    });
    return true;
  });
}
