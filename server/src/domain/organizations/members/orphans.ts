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
  type Loss,
  type PersonPrincipal,
  type Plan,
  type Watched,
} from "#domain/identity/index.ts";
import { resourceOf } from "#domain/projects/index.ts";
import { Problem } from "#kernel/problem.ts";
import type { Writer } from "#stores/metadata/index.ts";
import { auditOrigin, type Caller, type Grantor, type OrganizationsDeps } from "../caller.ts";

/** What happens to the credentials of a member who is removed or lowered. */
export type Orphans = "adopt" | "revoke";

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
    "Nobody can become responsible for the credentials. Do this as a person, or with a credential behind which there is a person, or say `orphans=revoke`.",
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
  }: { orgId: string; watched: readonly Watched[] } & Pick<Plan, "adopts" | "projects">,
): Promise<Plan> {
  await endTokensOfGains(deps, tx, watched);
  const losses = await lossesOf(tx, watched, deps.clock.nowMs());
  await auditLosses(deps, tx, { ...auditOrigin(caller), orgId }, losses);
  return planOf(losses, (context) => maySee(caller, context), { adopts, projects });
}

function maySee({ principal }: Caller, context: Loss["context"]): boolean {
  return principal.kind === "system" || holds(principal, "credentials:read", resourceOf(context));
}

/** Returns the id of the person who becomes responsible. */
export function heirIdOf(
  grantor: Grantor,
  userId: string,
  others: readonly string[],
  caller: Caller,
): string | undefined {
  if (grantor.userId !== undefined && grantor.userId !== userId) return grantor.userId;
  // A person who leaves by themselves: an owner, as for their private projects.
  return caller.principal.kind === "person" ? others.find((id) => id !== userId) : undefined;
}
