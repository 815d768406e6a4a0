import { existsSync } from "node:fs";
import { join } from "node:path";
import { unreachedBuckets } from "#domain/s3/index.ts";
import { withMetadata } from "../stores.ts";
import { ok, warn, type Check, type CheckContext, type Found } from "./finding.ts";

/** Checks that public buckets have an address. */
export const BUCKET_CHECKS: readonly Check[] = [
  { name: "public buckets", mend: "start the database, or correct database_url", run: publicBuckets },
];

const SHOWN_MAX = 20;

async function publicBuckets({ config }: CheckContext): Promise<Found[]> {
  if (config.database_url === null && !existsSync(join(config.data_dir, "mooring.db")))
    return [ok("there are no buckets yet")];
  const { s3_public_organization: setting } = config;
  const unreached = await withMetadata(config, (metadata) => unreachedBuckets({ metadata }, setting));
  if (unreached.length === 0) return [ok("every public bucket can be reached without a signature")];
  const names = unreached.slice(0, SHOWN_MAX).map(({ organization, name }) => `${organization}/${name}`);
  const more = unreached.length > SHOWN_MAX ? ` and ${unreached.length - SHOWN_MAX} more` : "";
  const meant = setting === null ? "the oldest organization" : `the organization ${setting}`;
  return [
    warn(
      `these buckets are public, but requests without a signature reach only the buckets of ${meant}: ${names.join(", ")}${more}`,
      "set s3_public_organization to the right organization, or remove the public policies and access control lists of these buckets",
    ),
  ];
}
