import { earliest } from "#kernel/time.ts";
import { parseAddresses, type Addresses } from "./addresses.ts";
import type { AnyRow } from "./kinds.ts";

/**
 * The limits that a credential keeps from the credentials that were responsible for it. They are copied when another
 * actor becomes responsible, so that it never gains anything.
 */
export interface Inherited {
  /** The earliest end. Null: no end. */
  readonly endsAtMs: number | null;
  /** An address must be in each of these lists. Each is a column `allowed_addresses`. */
  readonly addresses: readonly string[];
  /** A resource must be in each of these sets. Each is a column `resources`. */
  readonly resources: readonly string[];
}

const NOTHING: Inherited = { endsAtMs: null, addresses: [], resources: [] };

/** Parses the column. @throws Error for an invalid value, so that nothing is allowed */
export function parseInherited(column: string | null): Inherited {
  if (column === null) return NOTHING;
  const { ends_at: endsAtMs = null, addresses = [], resources = [] } = JSON.parse(column) as Record<string, unknown>;
  if (endsAtMs !== null && typeof endsAtMs !== "number") throw unreadable("the end is not a number");
  if (!isTexts(addresses)) throw unreadable("the addresses are not lists");
  if (!isTexts(resources)) throw unreadable("the resources are not sets");
  return { endsAtMs, addresses, resources };
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

function unreadable(reason: string): Error {
  return new Error(`cannot read the inherited limits of a credential: ${reason}`);
}

function renderInherited({ endsAtMs, addresses, resources }: Inherited): string | null {
  if (endsAtMs === null && addresses.length === 0 && resources.length === 0) return null;
  return JSON.stringify({ ends_at: endsAtMs, addresses, ...(resources.length === 0 ? {} : { resources }) });
}

/** Returns the lists that an address must be in: the credential's own, and those that it inherited. */
export function addressListsOf({
  allowed_addresses: own,
  inherited,
}: Pick<AnyRow, "allowed_addresses" | "inherited">): Addresses[] {
  return [own, ...parseInherited(inherited).addresses].map(parseAddresses);
}

/**
 * Returns the new column: the limits so far, and those of the chain of parents. `endsAtMs`: when the nearest one ends.
 * An end that has passed is not copied, because the actor adopts the credential in spite of it.
 */
export function inheritedFrom(
  { inherited }: Pick<AnyRow, "inherited">,
  chain: readonly Pick<AnyRow, "allowed_addresses" | "inherited" | "resources">[],
  { endsAtMs: above, nowMs }: { readonly endsAtMs: number | null; readonly nowMs: number },
): string | null {
  const before = parseInherited(inherited);
  const lists = chain.flatMap((link) => [link.allowed_addresses, ...parseInherited(link.inherited).addresses]);
  const addresses = [...before.addresses, ...lists.filter((list) => list !== null)];
  const sets = chain.flatMap((link) => [link.resources, ...parseInherited(link.inherited).resources]);
  const resources = [...before.resources, ...sets.filter((set) => set !== null)];
  const endsAtMs = earliest(before.endsAtMs, above !== null && above > nowMs ? above : null);
  return renderInherited({ endsAtMs, addresses: [...new Set(addresses)], resources: [...new Set(resources)] });
}
