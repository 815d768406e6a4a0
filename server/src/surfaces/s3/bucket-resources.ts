import type { Scope } from "@mooring/contract";
import { absent, requireSeen } from "#domain/identity/index.ts";
import { findApp } from "#domain/organizations/index.ts";
import { resourceOf } from "#domain/projects/index.ts";
import {
  principalOn,
  S3Error,
  type AccessRequest,
  type Bucket,
  type S3Caller,
  type S3KeyPrincipal,
} from "#domain/s3/index.ts";
import type { OperationContext } from "#http/index.ts";
import { Problem } from "#kernel/problem.ts";
import type { BucketsSurfaceDeps } from "./deps.ts";
import { statusOfS3 } from "./wire/refusal.ts";

/** A bucket, and the caller as a principal of the gateway's permission check. */
export interface Found {
  readonly bucket: Bucket;
  readonly caller: S3Caller & { readonly principal: S3KeyPrincipal };
  /** Also checks the bucket's policy. */
  allows(about: Pick<AccessRequest, "action" | "key" | "versionId" | "values">): Promise<boolean>;
}

/** @throws Problem `not_found` (absent and hidden alike), `insufficient_scope`, `project_archived` */
export async function bucketFor(
  deps: BucketsSurfaceDeps,
  context: OperationContext,
  idOrSlug: string,
  permission: Scope,
): Promise<Found> {
  const { principal, ip, requestId, request } = context;
  const app = await findApp(deps, principal.orgId, idOrSlug);
  if (app === undefined) throw absent();
  requireSeen(principal, permission, { ...resourceOf(app), item: { kind: "buckets", id: app.id } });
  const as = principalOn(principal, app);
  const bucket = await answered(deps.domain.buckets.find(as, app.slug));
  const conditions = { sourceIp: ip, isSecure: request.protocol === "https", bucket };
  return {
    bucket,
    caller: { principal: as, ip, requestId },
    allows: (about) => deps.domain.access.allows(as, { ...conditions, ...about }),
  };
}

/** @throws Problem `forbidden` */
export async function requireAllowed(
  found: Found,
  about: Pick<AccessRequest, "action" | "key" | "versionId" | "values">,
): Promise<void> {
  if (await found.allows(about)) return;
  throw new Problem(
    "forbidden",
    found.caller.principal.limits === undefined
      ? "The bucket's policy denies this. S3's PutBucketPolicy changes the policy."
      : "The credential is limited to certain keys of this bucket, or the bucket's policy denies this.",
  );
}

/** Returns the gateway's answer, or throws its error as a Problem. @throws Problem `not_found`, `invalid_parameter` */
export async function answered<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof S3Error)) throw error;
    const { message } = error;
    const status = statusOfS3(error);
    // S3 answers 405 for a delete marker, which has no content.
    if (status === 404 || status === 405) throw absent();
    if (error.code === "AccessDenied") throw new Problem("forbidden", message);
    if (status === 400) throw new Problem("invalid_parameter", message);
    throw error;
  }
}

/** @throws Problem `invalid_parameter` */
export function requireKey(key: string): void {
  if (Buffer.byteLength(key) <= 1024 && key.isWellFormed() && !key.includes("\0")) return;
  const detail = "must have 1024 bytes of UTF-8 at most, and no NUL";
  throw new Problem("invalid_parameter", "The key is not a valid S3 key.", { errors: [{ pointer: "/key", detail }] });
}
