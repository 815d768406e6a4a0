import { organizationAllows, stateAllows, type RefusalRule } from "@mooring/contract";
import { lacking } from "#domain/identity/index.ts";
import { stateRefusal } from "#domain/projects/index.ts";
import { suspensionText } from "#domain/suspension/index.ts";
import type { RefusalFacts } from "#kernel/refusal.ts";
import type { S3Deps } from "../deps.ts";
import { S3Error } from "../errors.ts";
import { findVersion, type FoundVersion } from "../objects/find.ts";
import type { AccessRequest, Acl, Bucket, S3Access, S3KeyPrincipal, S3Principal } from "../types/index.ts";
import { aclAllows } from "./acl.ts";
import { ACTIONS, type ActionRule } from "./actions.ts";
import { policyOf } from "./parsed.ts";
import { factsOf, type Refused } from "./explain.ts";
import { denyingStatement, evaluate, type PolicyRequest, type Verdict } from "./policy.ts";

export function createAccess(deps: Pick<S3Deps, "metadata" | "clock">): S3Access {
  return {
    require: async (principal, request) => {
      const refused = await decide(deps, principal, request);
      if (refused === null) return;
      const { bucket } = request;
      const facts = (): RefusalFacts => factsOf(principal, request, refused);
      refuseSuspended(principal, request, facts);
      // A hidden bucket gets the same answer as an absent one.
      if (bucket !== null && !knows(principal, bucket))
        throw new S3Error("NoSuchBucket", undefined, { fields: { BucketName: bucket.name }, facts });
      if (bucket !== null && !isAllowedByState(bucket, request))
        throw new S3Error("AccessDenied", stateRefusal(bucket.projectState).message, { facts });
      throw new S3Error("AccessDenied", whyWithout(principal, request), { facts });
    },
    allows: async (principal, request) => (await decide(deps, principal, request)) === null,
  };
}

/**
 * Refuses by the state of the organization. A blocked organization has no public bucket.
 * @throws S3Error `AccessDenied`, `NoSuchBucket`
 */
function refuseSuspended(principal: S3Principal, { action, bucket }: AccessRequest, facts: () => RefusalFacts): void {
  if (isAllowedByOrganization(principal, action)) return;
  if (principal.kind === "anonymous" && !organizationAllows(principal.organization.state, "s3:read"))
    throw new S3Error("NoSuchBucket", undefined, { fields: { BucketName: bucket?.name ?? "" }, facts });
  if (bucket === null || principal.orgId === bucket.orgId)
    throw new S3Error("AccessDenied", suspensionText(principal.organization), { facts });
}

/** Whether the organization's state allows the action. If not, no policy can allow it. */
function isAllowedByOrganization({ organization }: S3Principal, action: string): boolean {
  const scope = ACTIONS[action]?.scope;
  return scope === undefined || organizationAllows(organization.state, scope);
}

/**
 * Returns the missing permission of a key, with the reason. Undefined: another check decided, for example a policy or a
 * limit of the key.
 */
function whyWithout(principal: S3Principal, { action }: AccessRequest): string | undefined {
  const scope = ACTIONS[action]?.scope;
  if (principal.kind !== "key" || scope === undefined || principal.scopes.has(scope)) return undefined;
  return lacking(scope, principal.withheld?.get(scope) ?? { by: "scope" }).message;
}

/** Whether the key belongs to the bucket's owner: the same project, or the organization. */
export function reaches(principal: S3Principal, bucket: Pick<Bucket, "orgId" | "projectId" | "visibility">): boolean {
  if (principal.kind === "anonymous" || principal.orgId !== bucket.orgId) return false;
  return principal.projectId === null ? bucket.visibility === "organization" : principal.projectId === bucket.projectId;
}

/** Whether the principal may know that the bucket exists. */
export function knows(principal: S3Principal, bucket: Pick<Bucket, "orgId" | "projectId" | "visibility">): boolean {
  return principal.orgId === bucket.orgId && (bucket.visibility === "organization" || reaches(principal, bucket));
}

type Deps = Pick<S3Deps, "metadata" | "clock">;

/** Returns the rule that refuses the request. Null: it is allowed. */
async function decide(deps: Deps, principal: S3Principal, request: AccessRequest): Promise<Refused | null> {
  const rule = ACTIONS[request.action];
  if (rule === undefined) throw new Error(`cannot decide about ${request.action}: it is not in the table of actions`);
  const { bucket } = request;
  if (!isAllowedByOrganization(principal, request.action)) return { rule: "organization_state" };
  if (bucket === null) return principal.kind === "key" ? whyWithoutBucket(principal, rule) : { rule: "credentials" };
  if (principal.orgId !== bucket.orgId) return { rule: "absent" };
  if (!isAllowedByState(bucket, request)) return { rule: "project_state" };
  const outside = principal.kind === "anonymous" ? null : whyOutside(principal, rule, bucket, request);
  if (outside !== null) return outside;
  const object = lazyObject(deps, bucket, request);
  const { verdict, denier } = await policyVerdict(deps, principal, rule, bucket, request, object);
  if (verdict === "deny")
    return isRescue(principal, bucket, request) ? null : { rule: "bucket_policy", statement: denier() };
  if (reaches(principal, bucket)) return null;
  const stranger: Refused = { rule: strangersRule(principal, bucket) };
  if (rule.onlyFor !== undefined && principal.kind === "anonymous") return stranger;
  if (verdict === "allow" && rule.onlyFor !== "owner") {
    if (!isRestricted(principal, bucket)) return null;
    stranger.rule = "bucket_policy";
  }
  return (await opensByAcl(principal, rule, bucket, request, object)) ? null : stranger;
}

/** The rule for a principal that is not of the bucket's owner, and that no policy or list allows. */
function strangersRule(principal: S3Principal, bucket: Bucket): RefusalRule {
  if (principal.kind === "anonymous") return "acl";
  if (principal.projectId !== null) return "other_project";
  return bucket.visibility === "private" ? "private_project" : "acl";
}

/** Whether the project's state allows the action. If not, it is forbidden to everybody: no policy can allow it. */
function isAllowedByState({ projectState }: Bucket, { action }: AccessRequest): boolean {
  const scope = ACTIONS[action]?.scope;
  return scope === undefined || stateAllows(projectState, scope);
}

/** Why a key may not act without a bucket. One that is limited to a part of a bucket may not create one. */
function whyWithoutBucket({ scopes, prefix, limits }: S3KeyPrincipal, rule: ActionRule): Refused | null {
  if (!scopes.has(rule.scope)) return { rule: "scope" };
  return (prefix === "" && limits === undefined) || rule.isHarmless === true ? null : { rule: "key_bounds" };
}

/** Why the request is outside the key's own limits. No policy or access control list widens them. */
function whyOutside(
  principal: S3KeyPrincipal,
  rule: ActionRule,
  bucket: Bucket,
  request: AccessRequest,
): Refused | null {
  const { scopes, buckets, prefix, limits } = principal;
  if (!scopes.has(rule.scope)) return { rule: "scope" };
  if (buckets !== null && !buckets.includes(bucket.name)) return { rule: "key_bounds" };
  if (limits !== undefined && !limits.has(bucket.id)) return { rule: "key_bounds" };
  if (rule.isHarmless === true) return null;
  const isBelowAll =
    isBelow([prefix], request) && (limits === undefined || isBelow(limits.get(bucket.id) ?? [], request));
  return isBelowAll ? null : { rule: "key_bounds" };
}

/** Whether the request acts only on keys that begin with one of these. */
function isBelow(prefixes: readonly string[], { key, unread, values }: AccessRequest): boolean {
  if (prefixes.includes("")) return true;
  if (key === undefined && unread?.has("key") === true) return true; // Each key is checked again after the body was read.
  const path = key ?? values?.["s3:prefix"];
  return typeof path === "string" && prefixes.some((prefix) => path.startsWith(prefix));
}

/**
 * Whether the bucket's owner reads, replaces or deletes its policy. That is always allowed, so that nobody locks
 * themselves out.
 */
function isRescue(principal: S3Principal, bucket: Bucket, { action }: AccessRequest): boolean {
  return reaches(principal, bucket) && /^s3:(Get|Put|Delete)BucketPolicy$/.test(action);
}

/** `RestrictPublicBuckets`: a public policy works only for the bucket's owner. */
function isRestricted(principal: S3Principal, bucket: Bucket): boolean {
  return bucket.config.publicAccessBlock?.restrictPublicBuckets === true && !reaches(principal, bucket);
}

type LazyObject = () => Promise<FoundVersion | undefined>;

function lazyObject(deps: Deps, bucket: Bucket, { key, versionId }: AccessRequest): LazyObject {
  let found: Promise<FoundVersion | undefined> | undefined;
  return async () =>
    key === undefined ? undefined : (found ??= findVersion(deps.metadata.read, bucket, { key, versionId }));
}

async function policyVerdict(
  deps: Deps,
  principal: S3Principal,
  rule: ActionRule,
  bucket: Bucket,
  request: AccessRequest,
  object: LazyObject,
): Promise<{ readonly verdict: Verdict; readonly denier: () => string | null }> {
  const { policy: text } = bucket.config;
  if (text === undefined) return NO_POLICY;
  const policy = policyOf(bucket, text);
  const needsTags = /s3:existingobjecttag\//i.test(text);
  const tags = needsTags ? (await object())?.tags : undefined;
  const { key, action } = request;
  const asked: PolicyRequest = {
    names: principal.kind === "key" ? [principal.owner.id, principal.id, principal.accessKeyId] : [],
    action: rule.policyAction ?? action,
    resource: `arn:aws:s3:::${bucket.name}${key === undefined ? "" : `/${key}`}`,
    values: (name) => valuesOf(deps, principal, request, tags, name),
    ...(request.unread === undefined ? {} : { unread: request.unread }),
  };
  return { verdict: evaluate(policy, asked), denier: () => denyingStatement(policy, asked) };
}

const NO_POLICY = { verdict: "none", denier: () => null } as const;

function valuesOf(
  deps: Deps,
  principal: S3Principal,
  request: AccessRequest,
  tags: Readonly<Record<string, string>> | undefined,
  name: string,
): readonly string[] | undefined {
  const own = fixedValue(deps, principal, request, name);
  if (own !== undefined) return [own];
  const given = request.values?.[name];
  if (given !== undefined) return typeof given === "string" ? [given] : given;
  const [, tag] = /^s3:existingobjecttag\/(.*)$/.exec(name) ?? [];
  const found = Object.entries(tags ?? {}).find(([key]) => key.toLowerCase() === tag);
  return found === undefined ? undefined : [found[1]];
}

function fixedValue(deps: Deps, principal: S3Principal, request: AccessRequest, name: string): string | undefined {
  switch (name) {
    case "aws:sourceip":
      return request.sourceIp ?? undefined;
    case "aws:securetransport":
      return String(request.isSecure);
    case "aws:currenttime":
      return new Date(deps.clock.nowMs()).toISOString();
    case "aws:epochtime":
      return String(Math.floor(deps.clock.nowMs() / 1000));
    case "aws:userid":
    case "aws:username":
      return principal.kind === "key" ? principal.accessKeyId : undefined;
    case "aws:principalaccount":
      return principal.kind === "key" ? principal.owner.id : undefined;
    case "aws:principaltype":
      return principal.kind === "key" ? "User" : "Anonymous";
    case "s3:versionid":
      return request.versionId;
    default:
      return undefined;
  }
}

/** Removes the grants to groups if the action is not for everybody. Only canonical users that the list names get it. */
function forRule(acl: Acl, { onlyFor }: ActionRule): Acl {
  if (onlyFor === undefined) return acl;
  return { ...acl, grants: acl.grants.filter(({ grantee }) => grantee.kind === "user") };
}

async function opensByAcl(
  principal: S3Principal,
  rule: ActionRule,
  bucket: Bucket,
  request: AccessRequest,
  object: LazyObject,
): Promise<boolean> {
  const { acl: needed } = rule;
  const { config } = bucket;
  if (needed === undefined || config.ownership === "BucketOwnerEnforced") return false;
  const block = config.publicAccessBlock;
  if (needed.of === "bucket") {
    return config.acl !== undefined && aclAllows(forRule(config.acl, rule), principal, needed.permission, block);
  }
  const found = await object();
  // A principal who may list the bucket may learn that the key does not exist.
  if (found === undefined)
    return request.key !== undefined && config.acl !== undefined && aclAllows(config.acl, principal, "READ", block);
  if (principal.kind === "key" && found.ownerId === principal.owner.id) return true;
  return found.acl !== null && aclAllows(found.acl, principal, needed.permission, block);
}
