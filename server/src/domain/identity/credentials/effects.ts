import type { Scope } from "@mooring/contract";
import { appendAudit, type AuditEvent } from "#domain/audit/index.ts";
import { Problem } from "#kernel/problem.ts";
import type { Clock } from "#kernel/time.ts";
import { etagOf, expectedOf, type Expected } from "#kernel/versions.ts";
import { rehearse, type MetadataStore, type Reader, type Writer } from "#stores/metadata/index.ts";
import { actionOf, announce, nextEpoch } from "./common.ts";
import { KINDS, kindOf, tableOf, TABLES } from "./kinds.ts";
import { readParents } from "./parents.ts";
import { conditionOf, stateAt } from "./state.ts";
import { findContext, liveIdsBelow, updateRow, type AnyContext } from "./store.ts";

/** The effects of a change of permissions on the credentials that depend on a person or on a credential. */

/** A credential as it was before the change. */
export interface Watched {
  readonly context: AnyContext;
  /** The scopes with which it could be used. */
  readonly usable: ReadonlySet<Scope>;
}

/** A credential that lost scopes, or all of them. */
export interface Loss {
  readonly kind: "credential" | "personal_token" | "s3_key";
  readonly id: string;
  readonly name: string;
  readonly lastUsedAtMs: number | null;
  readonly loses: readonly Scope[];
  readonly reason: string;
  /** As it is after the change. */
  readonly context: AnyContext;
}

/** Reads the credentials below a person or a credential, before a change. */
export async function watch(tx: Reader, orgId: string, root: string, nowMs: number): Promise<Watched[]> {
  const watched: Watched[] = [];
  for (const id of await liveIdsBelow(tx, orgId, root)) {
    const now = await judged(tx, id, nowMs);
    if (now !== undefined) watched.push(now);
  }
  return watched;
}

/** Reads a credential with its usable scopes, and the reason for those that it lacks. */
export async function judged(
  tx: Reader,
  id: string,
  nowMs: number,
): Promise<(Watched & { reason: string | null }) | undefined> {
  const context: AnyContext | undefined = await findContext(tx, tableOf(id), { id });
  if (context === undefined) return undefined;
  const state = stateAt(context, await readParents(tx, context), nowMs);
  const { name, reason } = conditionOf(state, nowMs);
  return { context, usable: name === "ended" ? new Set() : state.scopes, reason };
}

/** Returns what the credentials lost since `watch`. */
export async function lossesOf(tx: Reader, watched: readonly Watched[], nowMs: number): Promise<Loss[]> {
  const losses: Loss[] = [];
  for (const before of watched) {
    const now = await judged(tx, before.context.id, nowMs);
    const loses = [...before.usable].filter((scope) => now?.usable.has(scope) !== true);
    if (now === undefined || loses.length === 0) continue;
    const { id, name, last_used_at: lastUsedAtMs } = now.context;
    const reason = now.reason ?? "its scopes were lowered when another one became responsible";
    losses.push({ kind: kindNameOf(now.context), id, name, lastUsedAtMs, loses, reason, context: now.context });
  }
  return losses;
}

function kindNameOf(context: AnyContext): Loss["kind"] {
  if (KINDS[kindOf(context)].ownedBy === "person") return "personal_token";
  return TABLES[tableOf(context.id)].auditName;
}

/** Writes an entry of the audit log for each credential that lost scopes and was not revoked itself. */
export async function auditLosses(
  deps: { readonly metadata: Pick<MetadataStore, "lock">; readonly clock: Clock },
  tx: Writer,
  origin: Pick<AuditEvent, "actor" | "ip" | "orgId" | "requestId" | "result">,
  losses: readonly Loss[],
): Promise<void> {
  for (const { id, loses, reason, context } of losses) {
    if (context.revoked_at !== null) continue;
    const table = tableOf(id);
    const target = { kind: TABLES[table].auditName, id };
    const detail = { lost: loses.join(" "), reason, responsible: context.responsible };
    await appendAudit(deps, tx, { ...origin, action: actionOf(table, "reduced"), target, detail });
  }
}

/** Ends the tokens of credentials that gained scopes: a token from before they were lowered must not get them back. */
export async function endTokensOfGains(
  deps: { readonly metadata: Pick<MetadataStore, "lock" | "notify">; readonly clock: Clock },
  tx: Writer,
  watched: readonly Watched[],
): Promise<void> {
  for (const { context, usable } of watched) {
    const now = await judged(tx, context.id, deps.clock.nowMs());
    if (now === undefined || ![...now.usable].some((scope) => !usable.has(scope))) continue;
    const epoch = nextEpoch(now.context);
    if (epoch === undefined) continue;
    await updateRow(tx, context.id, { epoch });
    await announce(deps, tx, context.id, epoch);
  }
}

/** The effects of an act, before it is done. */
export interface Plan {
  /** The credentials that lose scopes, without those that the actor may not see. */
  readonly stops: readonly Omit<Loss, "context">[];
  /** The credentials that get another responsible one. */
  readonly adopts: readonly { readonly id: string; readonly name: string }[];
  /** The new maintainers of private projects, by project. */
  readonly projects: Readonly<Record<string, string>>;
  readonly etag: string;
}

/** `version`: that of the changed record. The tag of the plan covers it, too. */
export function planOf(
  losses: readonly Loss[],
  maySee: (context: AnyContext) => boolean,
  { adopts, projects, version }: Pick<Plan, "adopts" | "projects"> & { readonly version: object },
): Plan {
  const stops = losses.filter(({ context }) => maySee(context)).map(({ context: _context, ...stop }) => stop);
  const facts = { version, stops: losses.map(({ id, loses, reason }) => ({ id, loses, reason })), adopts, projects };
  return { stops, adopts, projects, etag: etagOf(facts) };
}

/**
 * Checks `If-Match`: it has the version of the changed record, or the tag of a plan with these effects.
 * @throws Problem `concurrent_update` if the act differs from the plan that the actor has seen
 */
export function requirePlan(expected: Expected, plan: Plan, version: object): void {
  if (expected === "any" || expected.includes(plan.etag) || expected.includes(etagOf(version))) return;
  throw new Problem(
    "concurrent_update",
    "The record or the effects of the change have changed since you read them. Read them again and repeat your change.",
  );
}

/**
 * Runs an act, returns its plan, and rolls it back.
 * @param ifMatch as in `requirePlan`. Absent: any version
 * @throws Problem `concurrent_update`, and those of the act
 */
export async function rehearsePlan(
  { metadata }: { readonly metadata: Pick<MetadataStore, "write"> },
  ifMatch: string | undefined,
  act: (tx: Writer) => Promise<{ readonly plan: Plan; readonly version: object }>,
): Promise<Plan> {
  const expected = await expectedOf(ifMatch, () => Promise.resolve(undefined));
  return rehearse(metadata, async (tx) => {
    const { plan, version } = await act(tx);
    requirePlan(expected, plan, version);
    return plan;
  });
}
