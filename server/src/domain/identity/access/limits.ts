import { resourceKindOf, type Scope } from "@mooring/contract";
import type { Item } from "#domain/projects/index.ts";

/**
 * The resources to which a credential is limited. It is closed: a kind without entries gives no permission, and neither
 * does a scope without such resources.
 */
export interface Limits {
  /** Ids of apps. */
  readonly repositories: ReadonlySet<string>;
  /** By the ids of apps, the beginnings of the keys that it reaches. */
  readonly buckets: ReadonlyMap<string, readonly string[]>;
  /** Ids of webhooks. */
  readonly webhooks: ReadonlySet<string>;
  /** Names of services. */
  readonly services: ReadonlySet<string>;
}

/** Whether the limits allow an act on an item. `unknown`: the caller named no item of the right kind. */
export function withinLimits(limits: Limits, permission: Scope, item: Item | undefined): boolean | "unknown" {
  const kind = resourceKindOf(permission);
  if (kind === undefined || item === undefined || item.kind !== kind) return "unknown";
  if (kind !== "buckets") return limits[kind].has(item.id);
  const prefixes = limits.buckets.get(item.id);
  const { path } = item;
  return prefixes !== undefined && (path === undefined || prefixes.some((prefix) => path.startsWith(prefix)));
}

/** Whether the limits leave anything on which the permission could act. */
export function hasAny(limits: Limits, permission: Scope): boolean {
  const kind = resourceKindOf(permission);
  return kind !== undefined && limits[kind].size > 0;
}

/** Returns the ids that a permission reaches. */
export function reachedIds(limits: Limits, permission: Scope): readonly string[] {
  const kind = resourceKindOf(permission);
  return kind === undefined ? [] : [...limits[kind].keys()];
}

/** Returns the limits that hold if all of these do. Undefined: there are none. */
export function intersection(all: readonly Limits[]): Limits | undefined {
  const [first, ...rest] = all;
  return first === undefined ? undefined : rest.reduce(both, first);
}

function both(a: Limits, b: Limits): Limits {
  const buckets = new Map<string, string[]>();
  for (const [id, own] of a.buckets) {
    const prefixes = own.flatMap((prefix) => sharedPrefixes(prefix, b.buckets.get(id) ?? []));
    if (prefixes.length > 0) buckets.set(id, [...new Set(prefixes)]);
  }
  return {
    repositories: shared(a.repositories, b.repositories),
    buckets,
    webhooks: shared(a.webhooks, b.webhooks),
    services: shared(a.services, b.services),
  };
}

function shared(a: ReadonlySet<string>, b: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...a].filter((one) => b.has(one)));
}

/** The keys that begin with both of two prefixes begin with the longer one, if it begins with the other. */
function sharedPrefixes(prefix: string, others: readonly string[]): string[] {
  return others.flatMap((other) => {
    if (prefix.startsWith(other)) return [prefix];
    return other.startsWith(prefix) ? [other] : [];
  });
}

/** Whether the inner limits reach nothing outside the outer ones. Undefined: no limits. */
export function isWithin(inner: Limits | undefined, outer: Limits | undefined): boolean {
  if (outer === undefined) return true;
  if (inner === undefined) return false;
  const isIn = ([id, prefixes]: readonly [string, readonly string[]]): boolean =>
    prefixes.every((prefix) => outer.buckets.get(id)?.some((one) => prefix.startsWith(one)) ?? false);
  const others = ["repositories", "webhooks", "services"] as const;
  return others.every((kind) => [...inner[kind]].every((id) => outer[kind].has(id))) && [...inner.buckets].every(isIn);
}
