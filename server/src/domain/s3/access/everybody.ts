import type { S3Deps } from "../deps.ts";
import { S3Error } from "../errors.ts";
import { configuredBuckets } from "../buckets/store.ts";
import { organizationSlug, publicOrganization } from "../keys/store.ts";
import type { Acl, Bucket, BucketConfig } from "../types/index.ts";
import { ALL_USERS } from "./acl.ts";
import { policyOf } from "./parsed.ts";
import type { Policy } from "./policy.ts";

type Deps = Pick<S3Deps, "metadata" | "settings">;

/** Keys of conditions that only a signed request can meet. */
const OF_SIGNED: ReadonlySet<string> = new Set(["aws:userid", "aws:username", "aws:principalaccount"]);

/** Whether it means requests without a signature to get something. */
export function opensToEverybody(policy: Policy): boolean {
  return policy.statements.some(
    ({ isDeny, principals, conditions }) =>
      !isDeny && principals.everybody && !conditions.some(({ key, narrowsWho }) => narrowsWho && OF_SIGNED.has(key)),
  );
}

export function listsEverybody({ grants }: Acl): boolean {
  return grants.some(({ grantee }) => grantee.kind === "group" && grantee.uri === ALL_USERS);
}

/** For the settings of a bucket. */
export function isOpenToEverybody(acl: Acl | undefined, policy: Policy | undefined): boolean {
  return (acl !== undefined && listsEverybody(acl)) || (policy !== undefined && opensToEverybody(policy));
}

/** Buckets that are open to everybody and that no request without a signature reaches: the setting means another organization. */
export async function unreachedBuckets(
  { metadata }: Pick<Deps, "metadata">,
  setting: string | null,
): Promise<{ organization: string; name: string }[]> {
  const orgId = await publicOrganization(metadata.read, setting);
  const rows = await configuredBuckets(metadata.read, orgId);
  return rows.flatMap(({ organization, name, config: text }) => {
    const config = JSON.parse(text) as BucketConfig;
    const policy = config.policy === undefined ? undefined : policyOf({ name, config }, config.policy);
    return isOpenToEverybody(config.acl, policy) ? [{ organization, name }] : [];
  });
}

/**
 * A bucket name is unique only within an organization, so requests without a signature go to the buckets of one. A
 * public bucket in another could not be reached by anybody, and nobody would see why.
 * @throws S3Error `InvalidRequest` that names the setting
 */
export async function requireReachedByEverybody(
  { metadata, settings }: Deps,
  { orgId }: Pick<Bucket, "orgId">,
): Promise<void> {
  const { publicOrganization: setting } = settings;
  if ((await publicOrganization(metadata.read, setting)) === orgId) return;
  const slug = (await organizationSlug(metadata.read, orgId)) ?? orgId;
  const now = setting === null ? "is not set, and means the oldest organization" : `is ${setting}`;
  throw new S3Error(
    "InvalidRequest",
    `Nobody could reach this without a signature: such requests mean the buckets of one organization of this server. The setting s3_public_organization ${now}; ` +
      `the operator can set it to ${slug}. Or name those who may, instead of everybody.`,
  );
}
