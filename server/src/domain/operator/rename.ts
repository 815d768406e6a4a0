import { isReservedSlug, organizationBySlug, type Organization } from "#domain/organizations/index.ts";
import { Problem } from "#kernel/problem.ts";
import type { Writer } from "#stores/metadata/index.ts";
import { changeAnnounced, type StateChange } from "./announced.ts";
import { auditOnOrganization, type OperatorCaller, type PropagatingDeps } from "./caller.ts";
import { organizationNamed } from "./organizations.ts";
import { nameOrganization, retireSlug } from "./store.ts";

/**
 * Gives an organization another name or slug. The old slug answers 404 and stays reserved: image names and addresses
 * contain it, so another organization with it would get their requests. The organization itself can take it back.
 * @throws Problem `not_found`, `duplicate_slug`
 */
export async function renameOrganization(
  deps: PropagatingDeps,
  by: OperatorCaller,
  idOrSlug: string,
  wanted: { readonly slug?: string | undefined; readonly name?: string | undefined },
): Promise<StateChange> {
  const { metadata, clock } = deps;
  const { id: orgId } = await organizationNamed(metadata.read, idOrSlug);
  const work = async (tx: Writer, before: Organization): Promise<boolean> => {
    const after: Organization = { ...before, slug: wanted.slug ?? before.slug, name: wanted.name ?? before.name };
    if (after.slug === before.slug && after.name === before.name) return false;
    if (after.slug !== before.slug) {
      const isTaken = (await organizationBySlug(tx, after.slug)) !== undefined;
      if (isTaken || (await isReservedSlug(tx, after.slug, clock.nowMs(), orgId)))
        throw new Problem(
          "duplicate_slug",
          `The slug ${after.slug} is taken, or was taken before. Choose another one.`,
        );
      await retireSlug(tx, { slug: before.slug, org_id: orgId, retired_at: clock.nowMs() }, after.slug);
    }
    await nameOrganization(tx, after);
    await auditOnOrganization(deps, tx, by, orgId, {
      action: "organization.rename",
      detail: { slug: { from: before.slug, to: after.slug }, name: { from: before.name, to: after.name } },
    });
    return true;
  };
  return changeAnnounced(deps, orgId, work, { before: "organizations" });
}
