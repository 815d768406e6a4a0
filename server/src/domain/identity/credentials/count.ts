import type { Reader } from "#stores/metadata/index.ts";
import { parsePolicy } from "./bounds.ts";
import { countLive, findOrganization } from "./store.ts";

/** Those that are neither revoked nor, at that time, expired by their own end or the policy's. */
export async function countCredentials(db: Reader, orgId: string, atMs: number): Promise<number> {
  const organization = await findOrganization(db, orgId);
  const lifetimeMsMax = organization === undefined ? null : parsePolicy(organization.policy).lifetimeMsMax;
  return countLive(db, orgId, { atMs, lifetimeMsMax });
}
