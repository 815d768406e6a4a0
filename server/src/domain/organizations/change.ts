import { appendAuthChange } from "#domain/identity/index.ts";
import type { Writer } from "#stores/metadata/index.ts";
import type { OrganizationsDeps } from "./caller.ts";

/**
 * Runs one change of an organization's structure. Changes of one organization run one after another. So facts that
 * `work` read (the last owner, the last maintainer, a version) are still true when it commits.
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

/** Makes every node drop its cached permissions of the organization within a second. */
export async function announceAccessChange(deps: OrganizationsDeps, tx: Writer, orgId: string): Promise<void> {
  await appendAuthChange(deps, tx, { kind: "organization", subject: orgId });
}
