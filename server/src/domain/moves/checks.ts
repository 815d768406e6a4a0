import { createPublicKey, type JsonWebKey } from "node:crypto";
import {
  APP_SLUG_PATTERN,
  CUSTOM_ROLE_KINDS,
  isScope,
  MEMBER_ROLES,
  ORG_ROLES,
  ORGANIZATION_STATES,
  PROJECT_MEMBER_ROLES,
  PROJECT_STATES,
  SLUG_PATTERN,
  TRASH_KINDS,
} from "@mooring/contract";
import { calculateJwkThumbprint } from "jose";
import { hiddenSlug } from "#domain/projects/index.ts";
import type { Row } from "./store.ts";
import type { MovedTable, Table } from "./tables.ts";

/**
 * Checks of arriving rows. Digests find damage. These checks find rows that a program has made: the server trusts its
 * own records, and one value that it can't read would stop work that it does for all organizations.
 */

export const SLUG = new RegExp(SLUG_PATTERN);
const APP_SLUG = new RegExp(APP_SLUG_PATTERN);
const ID = /^[A-Za-z0-9_-]{1,100}$/;
const EMAIL = /^[^\s@]{1,200}@[^\s@]{1,200}$/;
/** More than a server can count in a thousand years, and far below the largest exact integer. */
const NUMBERS_MAX = 10 ** 12;

/** Columns of text with JSON, in every table. Some have an empty text for nothing. */
const JSON_COLUMNS: ReadonlySet<string> = new Set(
  (
    "policy settings detail tags parts config parameters parameter_names progress value error annotations platform immutable_tags " +
    "retention claims headers resources inherited buckets transports commitments personal public_jwk"
  ).split(" "),
);

/** Those of them that always have an object. */
const OBJECT_COLUMNS: ReadonlySet<string> = new Set(["policy", "settings", "detail", "config"]);

/** Columns with one of a few values. */
const VALUES: Readonly<Partial<Record<Table, Readonly<Record<string, readonly unknown[]>>>>> = {
  organization: { state: ORGANIZATION_STATES.filter((state) => state !== "deleting"), deletes_at: [null] },
  project: { state: PROJECT_STATES, visibility: ["organization", "private"], deletion_lock: [0, 1] },
  deleted_project: { visibility: ["organization", "private"] },
  custom_role: { kind: CUSTOM_ROLE_KINDS },
  member: { role: MEMBER_ROLES, lowered_from: [null, ...ORG_ROLES] },
  project_member: { role: PROJECT_MEMBER_ROLES },
  project_group: { role: PROJECT_MEMBER_ROLES },
  credential: { kind: ["app", "personal", "ingest"], pending: [0, 1] },
  s3_key: { pending: [0, 1] },
  s3_bucket: { versioning: ["unversioned", "enabled", "suspended"] },
  registry_reference: { kind: ["config", "layer", "foreign", "manifest"] },
  audit: {
    actor_kind: ["person", "credential", "system", "anonymous"],
    result: ["success", "denied", "failure"],
  },
  trash_item: { kind: TRASH_KINDS },
  audit_key: { alg: ["ES256", "RS256"] },
};

/** Tables in which a slug is part of addresses. */
const SLUGS: Readonly<Partial<Record<Table, RegExp>>> = {
  organization: SLUG,
  project: SLUG,
  app: APP_SLUG,
  custom_role: SLUG,
  person_group: SLUG,
  registry_repository: APP_SLUG,
};

/** @throws Error when the row has a value that a server of this version does not write */
export function validateRow(moved: MovedTable, row: Row): void {
  const { table, numbers = [] } = moved;
  const refuse = (column: string): never => {
    throw new Error(`a row of ${table} has a value that is not valid in ${column}: the export was altered`);
  };
  for (const [column, value] of Object.entries(row)) if (!isValid(column, value)) refuse(column);
  for (const [column, allowed] of Object.entries(VALUES[table] ?? {}))
    if (!allowed.includes(row[column])) refuse(column);
  for (const column of numbers) requireCount(moved, column, row);
  const pattern = SLUGS[table];
  if (pattern !== undefined && !hasSlug(row, pattern)) refuse("slug");
  if (table === "person" && !isAddress(row["email"])) refuse("email");
  if (typeof row["scopes"] === "string" && !areScopes(row["scopes"])) refuse("scopes");
}

/** An object in the trash has a slug that nobody can choose, and its former one beside it. */
function hasSlug({ id, slug, former_slug: former }: Row, pattern: RegExp): boolean {
  const isHidden = slug === hiddenSlug(String(id));
  if (former === undefined || former === null) return isHidden || pattern.test(String(slug));
  return isHidden && typeof former === "string" && pattern.test(former);
}

function isValid(column: string, value: unknown): boolean {
  if (value === null || value instanceof Uint8Array) return true;
  if (typeof value === "number") return Number.isSafeInteger(value);
  if (typeof value !== "string") return false;
  if (column === "id") return ID.test(value);
  const isObject = OBJECT_COLUMNS.has(column);
  return !JSON_COLUMNS.has(column) || (value === "" && !isObject) || isJson(value, isObject);
}

function isJson(text: string, isObject: boolean): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return !isObject || (typeof value === "object" && value !== null && !Array.isArray(value));
  } catch {
    return false;
  }
}

/** Numbers of events are counted over all organizations, so a large one would take all later numbers. */
export function requireCount({ table }: MovedTable, column: string, row: Row): number {
  const value = row[column];
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0 && value <= NUMBERS_MAX) return value;
  throw new Error(`a row of ${table} has a number that is not valid in ${column}: the export was altered`);
}

function isAddress(value: unknown): boolean {
  return typeof value === "string" && EMAIL.test(value) && value === value.toLowerCase();
}

/** No credential of an organization has a permission for the server. */
function areScopes(text: string): boolean {
  return text === "" || text.split(" ").every((scope) => isScope(scope) && !scope.startsWith("instance:"));
}

/** @throws Error when a key that signed cuts has a name that another key may have: the name is its thumbprint */
export async function requireOwnName({ kid, public_jwk: text }: Row): Promise<void> {
  const jwk = JSON.parse(String(text)) as JsonWebKey;
  const isPublic = jwk.d === undefined && jwk.k === undefined;
  const thumbprint = isPublic ? await calculateJwkThumbprint(createPublicKey({ key: jwk, format: "jwk" })) : "";
  if (thumbprint !== kid) throw new Error("a key of the audit log has the name of another key: the export was altered");
}
