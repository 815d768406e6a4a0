import type { AllowingAct, RefusalRule } from "@mooring/contract";
import type { AllowingStep, RefusalFacts } from "#kernel/refusal.ts";
import type { AccessRequest, S3Principal } from "../types/index.ts";
import { ACTIONS } from "./actions.ts";

/** Why a request to a bucket is refused. */
export interface Refused {
  rule: RefusalRule;
  /** The statement of the bucket's policy that denies it. */
  readonly statement?: string | null;
}

const MANAGERS = ["owner", "admin", "developer"] as const;

/** Explains a refusal. It runs only after one, for the record of refused requests. */
export function factsOf(
  principal: S3Principal,
  { action, bucket, key }: AccessRequest,
  { rule, statement }: Refused,
): RefusalFacts {
  const scope = ACTIONS[action]?.scope;
  const isOurs = bucket !== null && bucket.orgId === principal.orgId;
  const resource = isOurs
    ? { kind: "bucket", id: bucket.name, projectId: bucket.projectId, isHidden: isHiddenFrom(principal, bucket) }
    : undefined;
  const act = actOf(principal, rule, { scope: scope ?? null, bucket: bucket?.name ?? null, key: key ?? null });
  return {
    rule,
    ...(scope === undefined ? {} : { permission: scope }),
    ...(resource === undefined ? {} : { resource }),
    ...(statement === undefined || bucket === null ? {} : { policy: { bucket: bucket.name, statement } }),
    ...(principal.kind === "key" ? { held: [...principal.scopes].toSorted() } : {}),
    ...lossOf(principal, rule, scope),
    wouldAllow: act === undefined ? [] : [act],
  };
}

function isHiddenFrom(
  principal: S3Principal,
  { projectId, visibility }: NonNullable<AccessRequest["bucket"]>,
): boolean {
  return visibility === "private" && (principal.kind === "anonymous" || principal.projectId !== projectId);
}

function lossOf(principal: S3Principal, rule: RefusalRule, scope: string | undefined): Pick<RefusalFacts, "lostAt"> {
  if (principal.kind !== "key" || rule !== "scope" || scope === undefined) return {};
  const lost = [...(principal.withheld ?? [])].find(([name]) => name === scope);
  return { lostAt: lost === undefined ? "credential" : "maker" };
}

function actOf(
  principal: S3Principal,
  rule: RefusalRule,
  { scope, bucket, key }: { scope: string | null; bucket: string | null; key: string | null },
): AllowingStep | undefined {
  const id = principal.kind === "key" ? principal.id : null;
  const acts: Partial<Record<RefusalRule, [AllowingAct, string | null, string | null, readonly string[]]>> = {
    organization_state: ["resume_organization", principal.orgId, null, ["operator"]],
    project_state: ["change_project_state", bucket, null, MANAGERS],
    scope: ["grant_scope", id, scope, MANAGERS],
    key_bounds: ["widen_bounds", id, key === null ? bucket : `${bucket ?? ""}/${key}`, MANAGERS],
    bucket_policy: ["change_bucket_policy", bucket, null, MANAGERS],
    acl: ["change_bucket_policy", bucket, null, MANAGERS],
    private_project: ["use_project_credential", bucket, null, MANAGERS],
    other_project: ["use_project_credential", bucket, null, MANAGERS],
    credentials: ["renew_credentials", null, null, ["caller"]],
  };
  const found = acts[rule];
  if (found === undefined) return undefined;
  const [act, to, value, by] = found;
  return { act, to, value, by };
}
