import type { S3Deps } from "../deps.ts";
import { S3Error } from "../errors.ts";
import { configuredBuckets } from "../buckets/store.ts";
import { organizationSlug, publicOrganization } from "../keys/store.ts";
import type { Acl, Bucket, BucketConfig } from "../types/index.ts";
import { ALL_USERS } from "./acl.ts";
import { policyOf } from "./parsed.ts";
import type { Policy } from "./policy.ts";

type Deps = Pick<S3Deps, "metadata" | "settings">;

/** Condition keys that only a signed request can have. */
const OF_SIGNED: ReadonlySet<string> = new Set(["aws:userid", "aws:username", "aws:principalaccount"]);

/** Whether the policy allows any action to requests without a signature. */
export function opensToEverybody(policy: Policy): boolean {
  return policy.statements.some(
    ({ isDeny, principals, conditions }) =>
      !isDeny && principals.everybody && !conditions.some(({ key, narrowsWho }) => narrowsWho && OF_SIGNED.has(key)),
  );
}

export function listsEverybody({ grants }: Acl): boolean {
  return grants.some(({ grantee }) => grantee.kind === "group" && grantee.uri === ALL_USERS);
}

/** Whether a bucket's settings open it to everybody. */
export function isOpenToEverybody(acl: Acl | undefined, policy: Policy | undefined): boolean {
  return (acl !== undefined && listsEverybody(acl)) || (policy !== undefined && opensToEverybody(policy));
}

/**
 * Returns the public buckets that unsigned requests can't reach, because the setting names another organization.
 */
export async function unreachedBuckets(
  { metadata }: Pick<Deps, "metadata">,
  setting: string | null,
): Promise<{ organization: string; name: string }[]> {
  const orgId = (await publicOrganization(metadata.read, setting))?.id;
  const rows = await configuredBuckets(metadata.read, orgId);
  return rows.flatMap(({ organization, name, config: text }) => {
    const config = JSON.parse(text) as BucketConfig;
    const policy = config.policy === undefined ? undefined : policyOf({ name, config }, config.policy);
    return isOpenToEverybody(config.acl, policy) ? [{ organization, name }] : [];
  });
}

/**
 * Refuses to open a bucket that requests without a signature can't reach. A bucket name is unique only within an
 * organization, so these requests go to the buckets of one organization. Nobody would see why a public bucket of
 * another one does not work.
 * @throws S3Error `InvalidRequest` that names the setting
 */
export async function requireReachedByEverybody(
  { metadata, settings }: Deps,
  { orgId }: Pick<Bucket, "orgId">,
): Promise<void> {
  const { publicOrganization: setting } = settings;
  if ((await publicOrganization(metadata.read, setting))?.id === orgId) return;
  const slug = (await organizationSlug(metadata.read, orgId)) ?? orgId;
  const now = setting === null ? "is not set, so it names the oldest organization" : `is ${setting}`;
  throw new S3Error(
    "InvalidRequest",
    `Nobody could reach this without a signature, because requests without one reach only the buckets of one organization. The setting s3_public_organization ${now}; ` +
      `the operator can set it to ${slug}. Or allow named principals instead of everybody.`,
  );
}
