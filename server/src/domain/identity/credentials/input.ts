import { isScope, type Scope } from "@mooring/contract";
import { Problem } from "#kernel/problem.ts";
import { renderAddresses, requireAddresses } from "./addresses.ts";
import { KINDS, kindOf, type AnyRow, type KindName } from "./kinds.ts";
import type { NamedResources } from "./resources.ts";
import type { Change } from "./store.ts";

const ROTATION_OVERLAP_S_MAX = 30 * 86_400;
const NAME_CHARS_MAX = 100;

export interface NewCredential {
  /** Null: for the whole organization. */
  readonly projectId: string | null;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly expiresAtMs?: number | null | undefined;
  /** CIDR ranges. Null or absent: any address. */
  readonly allowedAddresses?: readonly string[] | null | undefined;
  /** The only resources that it reaches. Null or absent: no such limit. */
  readonly resources?: NamedResources | null | undefined;
}

export interface CredentialChange {
  readonly name?: string | undefined;
  /** The complete new list. Null: any address. */
  readonly allowedAddresses?: readonly string[] | null | undefined;
  /** The complete new limits. Null: none. */
  readonly resources?: NamedResources | null | undefined;
  /** The complete new set. */
  readonly scopes?: readonly string[] | undefined;
  /** Changes the limits that only this kind has. */
  readonly own?: ((row: AnyRow) => OwnChange) | undefined;
}

export interface OwnChange {
  readonly set: Pick<Change, "origins" | "rate">;
  readonly isWider: boolean;
  /** For the audit log. */
  readonly detail: Record<string, unknown>;
}

export interface CredentialListing {
  /** Absent: all kinds of the table. */
  readonly kind?: KindName | undefined;
  readonly projectId?: string | undefined;
  readonly includeRevoked?: boolean | undefined;
  readonly cursor?: string | undefined;
  readonly limit: number;
}

/** Validates the input that all kinds share, and returns its stored form. @throws Problem `invalid_body` */
export function validated(input: Omit<NewCredential, "scopes">): {
  readonly name: string;
  readonly projectId: string | null;
  readonly expiresAtMs: number | null;
  readonly addresses: string | null;
  readonly resources: NamedResources | null;
} {
  const { name, projectId, expiresAtMs = null, allowedAddresses = null, resources = null } = input;
  requireName(name);
  const addresses = renderAddresses(requireAddresses(allowedAddresses));
  return { name, projectId, expiresAtMs, addresses, resources };
}

/** @throws Problem `invalid_body` with the place of each unknown scope */
export function requireKnownScopes(names: readonly string[]): Set<Scope> {
  const unknown = names.map((name, i) => ({ name, i })).filter(({ name }) => !isScope(name));
  if (unknown.length > 0) {
    const errors = unknown.map(({ i }) => ({ pointer: `/scopes/${i}`, detail: "is not a scope" }));
    throw new Problem("invalid_body", "Some scopes do not exist.", { errors });
  }
  if (names.length === 0) throw invalidPlace("/scopes", "must name at least one scope");
  return new Set(names.filter(isScope));
}

/** @throws Problem `invalid_body`: this kind can't have the scopes */
export function requireScopesOfKind(row: Pick<AnyRow, "kind">, scopes: Iterable<Scope>): void {
  const possible: readonly Scope[] = KINDS[kindOf(row)].scopes;
  if ([...scopes].every((scope) => possible.includes(scope))) return;
  throw invalidPlace("/scopes", `must be among ${possible.join(", ")}`);
}

export function requireName(name: string): void {
  // eslint-disable-next-line no-control-regex -- the check looks for control characters
  if (name.length > 0 && name.length <= NAME_CHARS_MAX && !/[\u0000-\u001f\u007f]/.test(name)) return;
  throw invalidPlace("/name", `must have 1 to ${NAME_CHARS_MAX} characters, and no control characters`);
}

export function requireOverlap(overlapS: number): void {
  if (Number.isInteger(overlapS) && overlapS >= 0 && overlapS <= ROTATION_OVERLAP_S_MAX) return;
  throw invalidPlace("/overlap_seconds", `must be a whole number from 0 to ${ROTATION_OVERLAP_S_MAX}`);
}

export function invalidPlace(pointer: string, detail: string): Problem {
  return new Problem("invalid_body", "The credential is not valid.", { errors: [{ pointer, detail }] });
}

/** Returns the last characters of a secret, so that people can recognize it. */
export function hintOf(secret: string): string {
  return secret.slice(-4);
}
