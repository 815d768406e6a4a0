import { intersection, type Limits } from "#domain/identity/access/index.ts";
import { parseInherited } from "./inherited.ts";
import type { AnyRow } from "./kinds.ts";

/** The column. Ids, not names: a new app with the slug of a deleted one inherits nothing. */
export interface Stored {
  readonly repositories?: readonly string[];
  readonly buckets?: readonly (readonly [id: string, prefix: string])[];
  readonly webhooks?: readonly string[];
  readonly services?: readonly string[];
}

/** Parses the column. Undefined: no limit. @throws Error for an invalid value, so that nothing is allowed */
export function parseLimits(column: string | null): Limits | undefined {
  return column === null ? undefined : limitsFrom(JSON.parse(column) as Stored);
}

export function limitsFrom(stored: Stored): Limits {
  const buckets = new Map<string, string[]>();
  for (const [id, prefix] of stored.buckets ?? []) buckets.set(id, [...(buckets.get(id) ?? []), prefix]);
  return {
    repositories: new Set(stored.repositories ?? []),
    buckets,
    webhooks: new Set(stored.webhooks ?? []),
    services: new Set(stored.services ?? []),
  };
}

export function renderLimits({ repositories, buckets, webhooks, services }: Limits): string {
  const pairs = [...buckets].flatMap(([id, prefixes]) => prefixes.map((prefix) => [id, prefix] as const));
  const stored: Stored = {
    ...(repositories.size === 0 ? {} : { repositories: [...repositories].toSorted() }),
    ...(pairs.length === 0 ? {} : { buckets: pairs }),
    ...(webhooks.size === 0 ? {} : { webhooks: [...webhooks].toSorted() }),
    ...(services.size === 0 ? {} : { services: [...services].toSorted() }),
  };
  return JSON.stringify(stored);
}

/** Returns the limits that a credential has now: its own, inherited ones, and those of its parent. */
export function limitsOf(
  { resources, inherited }: Pick<AnyRow, "inherited" | "resources">,
  above: Limits | undefined,
): Limits | undefined {
  if (resources === null && inherited === null) return above;
  const all = [resources, ...parseInherited(inherited).resources].map(parseLimits);
  return intersection([...all, above].filter((limits) => limits !== undefined));
}
