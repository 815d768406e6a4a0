import { RESOURCE_KINDS, RESOURCES_MAX, resourceKindOf, type ResourceKind, type Scope } from "@mooring/contract";
import { hasAny, heldScopes, type Limits } from "#domain/identity/access/index.ts";
import { resourceOf } from "#domain/projects/index.ts";
import { Problem } from "#kernel/problem.ts";
import type { Reader } from "#stores/metadata/index.ts";
import type { ActorContext } from "./actor.ts";
import { limitsFrom, renderLimits, type Stored } from "./limits.ts";
import { appsNamed, appSlugs, webhooksNamed, type Owned } from "./resources-store.ts";

/** The resources of a credential as people name them: apps by their slugs or ids, webhooks by their ids. */
export interface NamedResources {
  readonly repositories?: readonly string[] | undefined;
  readonly buckets?: readonly { readonly name: string; readonly prefix?: string | undefined }[] | undefined;
  readonly webhooks?: readonly string[] | undefined;
  readonly services?: readonly string[] | undefined;
}

/** The place of the credential whose resources are named. */
interface Place {
  readonly actor: ActorContext["actor"];
  readonly projectId: string | null;
  /** The kinds of resources that it can have. */
  readonly kinds: readonly ResourceKind[];
  /** Its resources so far. Those that are gone since then may stay. */
  readonly before?: Limits | undefined;
}

/**
 * Finds the named resources, and returns the limits.
 * @throws Problem `invalid_body` with the place of each fault. Absent and hidden resources have the same one
 */
export async function requireResources(db: Reader, named: NamedResources, place: Place): Promise<Limits> {
  const { repositories = [], buckets = [], webhooks = [], services = [] } = named;
  requireForm(named, place);
  const apps = await appsNamed(db, place.actor.orgId, [...repositories, ...buckets.map(({ name }) => name)]);
  const hooks = await webhooksNamed(db, place.actor.orgId, webhooks);
  const find = finder(place);
  const limits = {
    repositories: repositories.map((name, i) => find(`/resources/repositories/${i}`, name, apps, "repositories")),
    buckets: buckets.map(
      ({ name, prefix = "" }, i) => [find(`/resources/buckets/${i}/name`, name, apps, "buckets"), prefix] as const,
    ),
    webhooks: webhooks.map((name, i) => find(`/resources/webhooks/${i}`, name, hooks, "webhooks")),
    services,
  };
  find.requireNoFault();
  return limitsFrom(limits);
}

const NOUNS = { repositories: "repository", buckets: "bucket", webhooks: "webhook", services: "service" } as const;

function finder({ actor, projectId, before }: Place) {
  const errors: { pointer: string; detail: string }[] = [];
  const find = (pointer: string, name: string, rows: ReadonlyMap<string, Owned>, kind: ResourceKind): string => {
    const row = rows.get(name);
    if (row !== undefined && isVisible(actor, row)) {
      if (projectId !== null && row.project_id !== projectId)
        errors.push({ pointer, detail: `is a ${NOUNS[kind]} of another project than the credential's` });
      return row.id;
    }
    if (row === undefined && before?.[kind].has(name) === true) return name;
    errors.push({ pointer, detail: `names no ${NOUNS[kind]}, or you may not see it` });
    return name;
  };
  const requireNoFault = (): void => {
    if (errors.length > 0) throw invalid(errors);
  };
  return Object.assign(find, { requireNoFault });
}

function isVisible(actor: ActorContext["actor"], row: Owned): boolean {
  return actor.kind === "system" || heldScopes(actor, resourceOf(row)) !== undefined;
}

function requireForm(named: NamedResources, { kinds }: Place): void {
  const given = RESOURCE_KINDS.filter((kind) => named[kind] !== undefined);
  const other = given.find((kind) => !kinds.includes(kind));
  if (other !== undefined)
    throw invalid([
      {
        pointer: `/resources/${other}`,
        detail: `does not apply: this kind of credential can't be limited to ${other}`,
      },
    ]);
  const count = given.reduce((sum, kind) => sum + (named[kind]?.length ?? 0), 0);
  if (count >= 1 && count <= RESOURCES_MAX) return;
  throw invalid([{ pointer: "/resources", detail: `must have 1 to ${RESOURCES_MAX} entries; null means no limit` }]);
}

/**
 * Checks that a limited credential has no scope that acts on other things.
 * @throws Problem `invalid_body` with the place of each such scope
 */
export function requireScopesWithin(limits: Limits | undefined, scopes: Iterable<Scope>): void {
  if (limits === undefined) return;
  const errors = [...scopes].flatMap((scope, i) => {
    if (hasAny(limits, scope)) return [];
    const kind = resourceKindOf(scope);
    const detail =
      kind === undefined
        ? `is ${scope}, which can't be limited to resources. Leave it out, or leave out resources`
        : `is ${scope}, so resources must name ${kind}`;
    return [{ pointer: `/scopes/${i}`, detail }];
  });
  if (errors.length > 0) throw invalid(errors);
}

/** Returns the scopes that can be limited to these resources. */
export function scopesWithin<S extends Scope>(limits: Limits | undefined, scopes: readonly S[]): S[] {
  return scopes.filter((scope) => limits === undefined || hasAny(limits, scope));
}

function invalid(errors: readonly { readonly pointer: string; readonly detail: string }[]): Problem {
  return new Problem("invalid_body", "The resources of the credential are not valid.", { errors: [...errors] });
}

/** Returns limits by name, for answers. */
export async function namedLimits(db: Reader, limits: Limits | undefined): Promise<NamedResources | null> {
  return limits === undefined ? null : namedResources(db, renderLimits(limits));
}

/** Returns the resources by name, for answers. An app that is gone has its id. */
export async function namedResources(db: Reader, column: string | null): Promise<NamedResources | null> {
  if (column === null) return null;
  const { repositories, buckets, webhooks, services } = JSON.parse(column) as Stored;
  const slugs = await appSlugs(db, [...(repositories ?? []), ...(buckets ?? []).map(([id]) => id)]);
  const nameOf = (id: string): string => slugs.get(id) ?? id;
  return {
    ...(repositories === undefined ? {} : { repositories: repositories.map(nameOf) }),
    ...(buckets === undefined ? {} : { buckets: buckets.map(([id, prefix]) => ({ name: nameOf(id), prefix })) }),
    ...(webhooks === undefined ? {} : { webhooks }),
    ...(services === undefined ? {} : { services }),
  };
}
