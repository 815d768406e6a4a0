import { absent, appendAuthChange } from "#domain/identity/index.ts";
import { organizationById, type Organization } from "#domain/organizations/index.ts";
import type { Writer } from "#stores/metadata/index.ts";
import type { PropagatingDeps } from "./caller.ts";

/** The organization after the change. `propagated`: every live node has applied it. */
export interface StateChange {
  readonly organization: Organization;
  readonly propagated: boolean;
}

interface Options {
  /** A lock that is taken before the lock of the organization. */
  readonly before?: string;
}

/**
 * Changes an organization in one transaction, and waits until every live node has applied it. `work` returns false if it
 * changed nothing; then nothing is announced.
 * @throws Problem `not_found`
 */
export async function changeAnnounced(
  deps: PropagatingDeps,
  orgId: string,
  work: (tx: Writer, organization: Organization) => Promise<boolean>,
  { before }: Options = {},
): Promise<StateChange> {
  const { metadata, feed } = deps;
  const { organization, seq } = await metadata.write(async (tx) => {
    if (before !== undefined) await metadata.lock(tx, before);
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
