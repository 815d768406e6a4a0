import { appendAuthChange } from "#domain/identity/index.ts";
import type { Writer } from "#stores/metadata/index.ts";
import type { OrganizationsDeps } from "./caller.ts";

/**
 * One change of an organization's structure. Changes of one organization run one after another, so that what `work` read
 * (the last owner, the last maintainer, a version) is still so when it commits.
 */
export function changeOrganization<T>(
  deps: OrganizationsDeps,
  orgId: string,
  work: (tx: Writer) => Promise<T>,
): Promise<T> {
  return deps.metadata.write(async (tx) => {
    await deps.metadata.lock(tx, `organization:${orgId}`);
    return work(tx);
  });
}

/** Every node drops its cached permissions of the organization, within a second. */
export async function announceAccessChange(deps: OrganizationsDeps, tx: Writer, orgId: string): Promise<void> {
  await appendAuthChange(deps, tx, { kind: "organization", subject: orgId });
}
