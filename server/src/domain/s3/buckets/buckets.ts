import { APP_SLUG_PATTERN } from "@mooring/contract";
import { changeOrganization, createAppIn, deleteAppIn, type Caller } from "#domain/organizations/index.ts";
import { oldestOpenProject, projectByName, requireNoDeletionLock, type Project } from "#domain/projects/index.ts";
import { Problem } from "#kernel/problem.ts";
import type { Writer } from "#stores/metadata/index.ts";
import type { RefusalFacts } from "#kernel/refusal.ts";
import { knows, reaches } from "../access/access.ts";
import { validateBucketAcl } from "../access/acl.ts";
import { factsOf } from "../access/explain.ts";
import { listsEverybody, requireReachedByEverybody } from "../access/everybody.ts";
import type { S3Deps } from "../deps.ts";
import { S3Error } from "../errors.ts";
import type {
  Bucket,
  BucketConfig,
  ListedBucket,
  NewBucket,
  S3Caller,
  S3KeyPrincipal,
  S3Principal,
} from "../types/index.ts";
import { dropOpenUploads } from "../uploads/abort.ts";
import { bucketById, bucketByName, listBucketRows, putSettings, type BucketRow } from "./store.ts";
import { bucketOf, type ConfigCache } from "./view.ts";

export interface BucketDeps extends S3Deps {
  readonly configs: ConfigCache;
}

export async function findBucket(deps: BucketDeps, principal: S3Principal, name: string): Promise<Bucket> {
  if (principal.orgId === null) throw noSuchBucket(name);
  if (principal.kind === "key" && principal.buckets !== null && !principal.buckets.includes(name))
    throw beyondKey(principal); // Thrown before the look-up, so it does not reveal whether the bucket exists.
  const row = await bucketByName(deps.metadata.read, principal.orgId, name);
  if (isOutside(principal, row)) throw beyondKey(principal); // The same for a bucket that does not exist.
  if (row === undefined) throw noSuchBucket(name);
  const bucket = bucketFrom(deps, row);
  if (!knows(principal, bucket) && bucket.config.policy === undefined && bucket.config.acl === undefined)
    throw new S3Error("NoSuchBucket", undefined, {
      fields: { BucketName: name },
      facts: hiddenBucket(principal, bucket),
    });
  return bucket;
}

/** Returns the refusal of a key that is limited to other buckets. */
function beyondKey(principal: S3Principal): S3Error {
  const facts = (): RefusalFacts => factsOf(principal, NO_BUCKET, { rule: "key_bounds" });
  return new S3Error("AccessDenied", undefined, { facts });
}

const NO_BUCKET = { action: "", bucket: null, sourceIp: null, isSecure: false } as const;

function hiddenBucket(principal: S3Principal, bucket: Bucket): () => RefusalFacts {
  const isElsewhere = principal.kind === "key" && principal.projectId !== null;
  const rule = isElsewhere ? "other_project" : "private_project";
  return () => factsOf(principal, { ...NO_BUCKET, bucket }, { rule });
}

/** Whether the principal is limited to other buckets. */
function isOutside(principal: S3Principal, row: BucketRow | undefined): boolean {
  if (principal.kind === "anonymous" || principal.limits === undefined) return false;
  return row === undefined || !principal.limits.has(row.id);
}

export function bucketFrom(deps: Pick<BucketDeps, "configs">, row: BucketRow): Bucket {
  return bucketOf(row, deps.configs.of(row.id, row.config));
}

function noSuchBucket(name: string): S3Error {
  return new S3Error("NoSuchBucket", undefined, { fields: { BucketName: name } });
}

export async function listBuckets(
  deps: BucketDeps,
  principal: S3Principal,
  page: { readonly prefix: string; readonly after: string; readonly max: number },
): Promise<{ buckets: ListedBucket[]; next: string | null }> {
  if (principal.kind === "anonymous") return { buckets: [], next: null };
  const { orgId, projectId, buckets: names, limits } = principal;
  const ids = limits === undefined ? {} : { ids: [...limits.keys()] };
  const { prefix, after, max } = page;
  // No name has a character after "z".
  const prefixEnd = prefix === "" ? undefined : `${prefix}\u007f`;
  const rows = await listBucketRows(
    deps.metadata.read,
    { orgId, projectId, names, ...ids },
    { prefix, prefixEnd, after, limit: max + 1 },
  );
  const buckets = rows.slice(0, max).map(({ slug, created_at }) => ({ name: slug, createdAtMs: created_at }));
  return { buckets, next: rows.length > max ? (buckets.at(-1)?.name ?? null) : null };
}

export async function createBucket(deps: BucketDeps, caller: S3Caller, options: NewBucket): Promise<Bucket> {
  const { principal } = caller;
  const { name } = options;
  if (principal.kind === "anonymous") throw new S3Error("AccessDenied");
  if (!new RegExp(APP_SLUG_PATTERN).test(name))
    throw new S3Error("InvalidBucketName", undefined, { fields: { BucketName: name } });
  if (principal.buckets !== null && !principal.buckets.includes(name)) throw beyondKey(principal);
  if (principal.limits !== undefined) throw beyondKey(principal); // Its limits are ids, which a new bucket does not have.
  const config: BucketConfig = {
    ...(options.acl === undefined ? {} : { acl: options.acl }),
    ...(options.ownership === undefined ? {} : { ownership: options.ownership }),
    ...(options.objectLock === true ? { objectLock: {} } : {}),
  };
  if (options.acl !== undefined) validateBucketAcl({ config }, options.acl);
  if (options.acl !== undefined && listsEverybody(options.acl)) await requireReachedByEverybody(deps, principal);
  const id = await makeApp(deps, caller, principal, options, config);
  const row = await bucketById(deps.metadata.read, id);
  if (row === undefined) throw noSuchBucket(name); // Another request deleted the bucket in the meantime.
  return bucketFrom(deps, row);
}

/** Returns the key's own project, the named project, or the oldest active one that the whole organization sees. */
async function projectOf(
  tx: Writer,
  { orgId, projectId: own }: S3KeyPrincipal,
  named: string | undefined,
): Promise<Project | undefined> {
  if (own === null && named === undefined) return oldestOpenProject(tx, orgId);
  const project = await projectByName(tx, orgId, own ?? named ?? "");
  if (own === null) return project?.visibility === "organization" ? project : undefined;
  return named === undefined || named === project?.id || named === project?.slug ? project : undefined;
}

async function makeApp(
  deps: BucketDeps,
  caller: S3Caller,
  principal: S3KeyPrincipal,
  { name, project: named, objectLock = false }: NewBucket,
  config: BucketConfig,
): Promise<string> {
  try {
    return await changeOrganization(deps, principal.orgId, async (tx) => {
      const project = await projectOf(tx, principal, named);
      if (project === undefined)
        throw new S3Error("InvalidArgument", "There is no such project, or the key does not reach it.");
      const app = await createAppIn(deps, tx, organizationCaller(caller, principal), {
        project,
        input: { slug: name },
      });
      const versioning = objectLock ? "enabled" : "unversioned";
      if (objectLock || Object.keys(config).length > 0)
        await putSettings(tx, {
          id: app.id,
          org_id: app.org_id,
          versioning,
          config: configFor(config, app),
          revision: 1,
        });
      return app.id;
    });
  } catch (error) {
    if (error instanceof Problem && error.code === "duplicate_slug") throw await takenBy(deps, principal, name);
    throw error;
  }
}

/** The bucket's owner becomes the owner of the list, even if the caller named another. */
function configFor(config: BucketConfig, app: { project_id: string; project_slug: string }): string {
  const owner = { id: app.project_id, displayName: app.project_slug };
  return JSON.stringify(config.acl === undefined ? config : { ...config, acl: ownedBy(config.acl, owner) });
}

/** When a key of the organization gives itself full control, the grant goes to the project. */
function ownedBy(acl: NonNullable<BucketConfig["acl"]>, owner: Bucket["owner"]): NonNullable<BucketConfig["acl"]> {
  const grants = acl.grants.map((grant) =>
    grant.grantee.kind === "user" && grant.grantee.id === acl.owner.id
      ? { ...grant, grantee: { kind: "user" as const, ...owner } }
      : grant,
  );
  return { owner, grants };
}

async function takenBy(deps: BucketDeps, principal: S3KeyPrincipal, name: string): Promise<S3Error> {
  const row = await bucketByName(deps.metadata.read, principal.orgId, name);
  const isOwn = row !== undefined && reaches(principal, bucketFrom(deps, row));
  return new S3Error(isOwn ? "BucketAlreadyOwnedByYou" : "BucketAlreadyExists", undefined, {
    fields: { BucketName: name },
  });
}

export async function deleteBucket(deps: BucketDeps, caller: S3Caller, bucket: Bucket): Promise<void> {
  const { principal } = caller;
  if (principal.kind === "anonymous") throw new S3Error("AccessDenied");
  try {
    await changeOrganization(deps, bucket.orgId, async (tx) => {
      await requireUnlockedProject(tx, bucket);
      await dropOpenUploads(deps, tx, bucket); // The transaction is rolled back when the bucket still has objects.
      await deleteAppIn(deps, tx, organizationCaller(caller, principal), { id: bucket.id, org_id: bucket.orgId });
    });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (error.code === "conflict")
      throw new S3Error("BucketNotEmpty", undefined, { fields: { BucketName: bucket.name } });
    if (error.code === "not_found") throw noSuchBucket(bucket.name);
    throw error;
  }
}

/** @throws S3Error `AccessDenied` for the deletion lock of the bucket's project */
async function requireUnlockedProject(tx: Writer, { id, orgId }: Bucket): Promise<void> {
  const row = await bucketById(tx, id);
  if (row === undefined) return;
  try {
    await requireNoDeletionLock(tx, { org_id: orgId, project_id: row.project_id });
  } catch (error) {
    if (error instanceof Problem) throw new S3Error("AccessDenied", error.message);
    throw error;
  }
}

/** Converts the key to an actor for the functions of the organization. */
function organizationCaller({ ip, requestId }: S3Caller, principal: S3KeyPrincipal): Caller {
  const { id, accessKeyId, orgId, orgSlug, organization, projectId, scopes } = principal;
  return {
    principal: { kind: "credential", id, clientId: accessKeyId, orgId, orgSlug, organization, projectId, scopes },
    ip,
    requestId,
  };
}
