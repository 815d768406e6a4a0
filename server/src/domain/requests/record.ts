import type { RefusalRule } from "@mooring/contract";
import { isoFromMs } from "#kernel/time.ts";
import type {
  AllowingStep,
  RefusalFacts,
  RefusedActor,
  RefusedLimit,
  RefusedRequest,
  RefusedResource,
} from "#kernel/refusal.ts";
import { withoutSecrets } from "#kernel/secrets.ts";
import { actsOf, ruleOf } from "./rules.ts";

/** The kept facts of a refused request, in addition to its ids and time. */
export interface RequestRecord {
  readonly surface: string;
  readonly operation: string;
  readonly method: string;
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly actor: RefusedActor | null;
  /** The organization that may read it. Null: the caller's. */
  readonly namedOrgId: string | null;
  readonly ip: string | null;
  readonly userAgent: string | null;
  readonly rule: RefusalRule;
  readonly permission: string | null;
  readonly resource: RefusedResource | null;
  readonly policy: { readonly bucket: string; readonly statement: string | null } | null;
  readonly limit: RefusedLimit | null;
  readonly held: readonly string[] | null;
  readonly lostAt: NonNullable<RefusalFacts["lostAt"]> | null;
  readonly wouldAllow: readonly AllowingStep[];
}

const DETAIL_CHARS_MAX = 400;
const NAME_CHARS_MAX = 200;

/** Builds the record. It has no bodies, query strings, header values or literals of statements. */
export function recordOf(refused: RefusedRequest): RequestRecord {
  const { surface, method, status, refusal, ip } = refused;
  const facts = refusal?.options.facts?.() ?? {};
  const rule = ruleOf(refused, facts.rule);
  const limit = facts.limit ?? limitOf(refused, rule);
  return {
    surface,
    operation: cut(refused.operation, NAME_CHARS_MAX),
    method,
    status,
    code: refusal?.code ?? `http_${status}`,
    detail: cut(withoutSecrets(refusal?.detail ?? ""), DETAIL_CHARS_MAX),
    actor: refused.actor ?? facts.actor ?? null,
    namedOrgId: facts.named?.orgId ?? null,
    ip,
    userAgent: refused.userAgent === null ? null : cut(withoutSecrets(refused.userAgent), NAME_CHARS_MAX),
    rule,
    permission: facts.permission ?? refusal?.options.scope ?? null,
    resource: facts.resource ?? namedResource(facts),
    policy: facts.policy ?? null,
    limit,
    held: facts.held ?? null,
    lostAt: facts.lostAt ?? null,
    wouldAllow: facts.wouldAllow ?? actsOf(rule, givenOf(refused, rule, facts, limit)),
  };
}

/** What the act of a rule changes. */
function givenOf(
  { ip, actor }: RefusedRequest,
  rule: RefusalRule,
  facts: RefusalFacts,
  limit: RefusedLimit | null,
): { to: string | null; value: string | null } {
  const who = (actor ?? facts.actor)?.id ?? facts.named?.credentialId ?? null;
  if (rule === "address") return { to: who, value: ip };
  if (limit !== null) return { to: limit.name, value: limitValue(limit) };
  const isAboutCaller = ["scope", "approval", "key_bounds", "expired", "revoked", "credentials", "sign_in"].includes(
    rule,
  );
  return { to: isAboutCaller ? who : null, value: facts.permission ?? null };
}

function limitValue({ max, untilMs }: RefusedLimit): string | null {
  if (untilMs !== null) return isoFromMs(untilMs);
  return max === null ? null : String(max);
}

function limitOf({ refusal, atMs }: RefusedRequest, rule: RefusalRule): RefusedLimit | null {
  if (rule !== "rate" && rule !== "quota" && rule !== "slots" && rule !== "unavailable") return null;
  const { allowance, retryAfterS } = refusal?.options ?? {};
  if (allowance === undefined && retryAfterS === undefined) return null;
  const untilMs = retryAfterS === undefined ? null : atMs + retryAfterS * 1000;
  return { name: allowance?.name ?? rule, max: allowance?.most ?? null, value: null, untilMs };
}

function namedResource({ named }: RefusalFacts): RefusedResource | null {
  return named === undefined ? null : { kind: "credential", id: named.credentialId, projectId: null, isHidden: false };
}

function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}
