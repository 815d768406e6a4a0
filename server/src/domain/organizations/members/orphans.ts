import type { Orphans } from "@mooring/contract";
import {
  auditLosses,
  endTokensOfGains,
  heirOf,
  holds,
  lossesOf,
  passOn,
  revokeRows,
  watch,
  planOf,
  rehearsePlan,
  requirePlan,
  type Loss,
  type PersonPrincipal,
  type Plan,
  type Watched,
} from "#domain/identity/index.ts";
import { resourceOf } from "#domain/projects/index.ts";
import { Problem } from "#kernel/problem.ts";
import { expectedOf } from "#kernel/versions.ts";
import type { Writer } from "#stores/metadata/index.ts";
import { auditOrigin, type Caller, type Grantor, type OrganizationsDeps } from "../caller.ts";
import { changeOrganization } from "../change.ts";

/** An act that can take scopes from credentials. */
export interface OrphansOptions {
  /** What happens to the credentials that would lose scopes. Null: they lose them. */
  readonly orphans?: Orphans | null | undefined;
  /** An entity tag; also that of a plan: then the effects must be the same. */
  readonly ifMatch?: string | undefined;
  /** Called after the commit. */
  readonly onLosses?: ((losses: readonly Loss[]) => Promise<void>) | undefined;
}

/** The effects of an act. */
export interface Effects {
  readonly plan: Plan;
  readonly losses: readonly Loss[];
  /** That of the changed record, before the act. */
  readonly version: object;
}

export interface OrphansAct {
  readonly userId: string;
  /** Null: the credentials stay with the person, and lose what the person loses. */
  readonly orphans: Orphans | null;
  readonly heir: PersonPrincipal | undefined;
}

/** Reads the credentials of a person before a change of their permissions. */
export function watchPerson(deps: OrganizationsDeps, tx: Writer, orgId: string, userId: string): Promise<Watched[]> {
  return watch(tx, orgId, userId, deps.clock.nowMs());
}

/** Passes on or revokes the person's credentials that lost scopes since `watched`. Returns those that were passed on. */
export async function decideOrphans(
  deps: OrganizationsDeps,
  tx: Writer,
  watched: readonly Watched[],
  { userId, orphans, heir }: OrphansAct,
): Promise<Plan["adopts"]> {
  if (orphans === null) return [];
  const lost = new Set((await lossesOf(tx, watched, deps.clock.nowMs())).map(({ id }) => id));
  const theirs = watched
    .map(({ context }) => context)
    .filter((context) => context.responsible === userId && context.kind !== "personal" && lost.has(context.id));
  if (orphans === "revoke") {
    await revokeRows(deps, tx, theirs);
    return [];
  }
  if (theirs.length > 0 && heir === undefined) throw undecided();
  const adopts: { id: string; name: string }[] = [];
  for (const context of theirs)
    if (heir !== undefined && (await passOn(deps, tx, { context, heir: heirOf(heir) })))
      adopts.push({ id: context.id, name: context.name });
  return adopts;
}

function undecided(): Problem {
  return new Problem(
    "orphans_undecided",
    "Nobody can become responsible for the credentials. Do this as a person, or with a credential behind which there is a person, or say `orphans=revoke`. The policy of the organization can name an heir.",
  );
}

/** Ends the change: tokens of credentials that gained scopes, entries for those that lost some, and the plan. */
export async function concludeOrphans(
  deps: OrganizationsDeps,
  tx: Writer,
  caller: Caller,
  {
    orgId,
    watched,
    adopts,
    projects,
    version,
  }: { orgId: string; watched: readonly Watched[]; version: object } & Pick<Plan, "adopts" | "projects">,
): Promise<Effects> {
  await endTokensOfGains(deps, tx, watched);
  const losses = await lossesOf(tx, watched, deps.clock.nowMs());
  await auditLosses(deps, tx, { ...auditOrigin(caller), orgId }, losses);
  const plan = planOf(losses, (context) => maySee(caller, context), { adopts, projects, version });
  return { plan, losses, version };
}

function maySee({ principal }: Caller, context: Loss["context"]): boolean {
  return principal.kind === "system" || holds(principal, "credentials:read", resourceOf(context));
}

/**
 * Runs an act in a transaction, if its effects are the expected ones, and then reports the losses.
 * @param read reads the version that a change without `If-Match` expects. Absent: any version
 * @throws Problem `concurrent_update`, and those of the act
 */
export async function commitEffects<T extends { readonly effects: Effects }>(
  deps: OrganizationsDeps,
  orgId: string,
  { ifMatch, onLosses }: Pick<OrphansOptions, "ifMatch" | "onLosses">,
  act: (tx: Writer) => Promise<T>,
  read: () => Promise<object | undefined> = () => Promise.resolve(undefined),
): Promise<T> {
  const expected = await expectedOf(ifMatch, read);
  const done = await changeOrganization(deps, orgId, async (tx) => {
    const acted = await act(tx);
    requirePlan(expected, acted.effects.plan, acted.effects.version);
    return acted;
  });
  await onLosses?.(done.effects.losses);
  return done;
}

/**
 * Returns the effects of an act, and changes nothing.
 * @throws Problem `concurrent_update` if `If-Match` has another version, and those of the act
 */
export function planEffects(
  deps: OrganizationsDeps,
  { ifMatch }: Pick<OrphansOptions, "ifMatch">,
  act: (tx: Writer) => Promise<{ readonly effects: Effects }>,
): Promise<Plan> {
  return rehearsePlan(deps, ifMatch, async (tx) => (await act(tx)).effects);
}

/** Returns the id of the person who becomes responsible. `named`: the policy's heir. */
export function heirIdOf(
  grantor: Grantor,
  userId: string,
  { owners, named, caller }: { readonly owners: readonly string[]; readonly named: string | null; caller: Caller },
): string | undefined {
  if (grantor.userId !== undefined && grantor.userId !== userId) return grantor.userId;
  // A person who leaves by themselves: an owner, as for their private projects.
  const owner = caller.principal.kind === "person" ? owners.find((id) => id !== userId) : undefined;
  return owner ?? (named === userId ? undefined : (named ?? undefined));
}
