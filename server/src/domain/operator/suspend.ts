import { ORGANIZATION_ACTS, organizationAllows, type OrganizationState } from "@mooring/contract";
import { ACTIVE, setSuspension, suspensionOf, type Suspension } from "#domain/suspension/index.ts";
import { Problem } from "#kernel/problem.ts";
import { wakeGroup } from "#stores/jobs/index.ts";
import { changeAnnounced, type StateChange } from "./announced.ts";
import { auditOnOrganization, type OperatorCaller, type PropagatingDeps } from "./caller.ts";
import { organizationNamed } from "./organizations.ts";

/**
 * Suspends an organization, resumes it, or changes the reason. One transaction, so a crash leaves the state before or
 * after it. If nothing would change, nothing is written.
 * @throws Problem `not_found`, `conflict` (it was deleted)
 */
export async function setOrganizationState(
  deps: PropagatingDeps,
  by: OperatorCaller,
  idOrSlug: string,
  wanted: Suspension,
): Promise<StateChange> {
  const { metadata, clock } = deps;
  const { id: orgId } = await organizationNamed(metadata.read, idOrSlug);
  return changeAnnounced(deps, orgId, async (tx, found) => {
    const before = suspensionOf(found);
    if (before.state === "deleting")
      throw new Problem("conflict", "The organization was deleted. Keep it first, and then change its state.");
    const after = wanted.state === "active" ? ACTIVE : wanted;
    if (before.state === after.state && before.reason === after.reason) return false;
    await setSuspension(tx, orgId, { ...after, atMs: clock.nowMs() });
    if (allowsMore(before.state, after.state)) await wakeGroup(deps, tx, orgId);
    await auditOnOrganization(deps, tx, by, orgId, {
      action: after.state === "active" ? "organization.resume" : "organization.suspend",
      detail: { state: { from: before.state, to: after.state }, reason: after.reason },
    });
    return true;
  });
}

/** Whether the server may do something again that it could not do before. */
function allowsMore(before: OrganizationState, after: OrganizationState): boolean {
  return ORGANIZATION_ACTS.some((act) => organizationAllows(after, act) && !organizationAllows(before, act));
}
