import type { ORGANIZATION_ROUTES, ResultOf } from "@mooring/contract";

export type AuditEntry = ResultOf<typeof ORGANIZATION_ROUTES.listAudit>["items"][number];

/** A value before and after a change. */
export interface Change {
  readonly path: string;
  /** Undefined: there was no value before. */
  readonly before: string | undefined;
  /** Undefined: the value was removed. */
  readonly after: string | undefined;
}

export interface EntryContent {
  readonly changes: readonly Change[];
  /** The other facts of the entry. */
  readonly facts: readonly (readonly [name: string, value: string])[];
}

/**
 * Splits an entry's detail into changes and facts. Changes are `before` and `after`, compared by member, `{from, to}`
 * of a member, and added and removed scopes. The rest are facts.
 */
export function changesAndFacts(detail: Readonly<Record<string, unknown>>): EntryContent {
  const changes: Change[] = [];
  const facts: (readonly [string, string])[] = [];
  if (isObject(detail["before"]) || isObject(detail["after"]))
    changes.push(...differences(detail["before"], detail["after"]));
  for (const [name, value] of Object.entries(detail)) {
    if ((name === "before" || name === "after") && changes.length > 0) continue;
    if (isFromTo(value)) changes.push({ path: name, before: textOf(value["from"]), after: textOf(value["to"]) });
    else if (name === "raised" && value !== "")
      changes.push({ path: "scopes added", before: undefined, after: textOf(value) });
    else if (name === "lowered" && value !== "")
      changes.push({ path: "scopes taken", before: textOf(value), after: undefined });
    else if (value !== "" && value !== null && !(isObject(value) && Object.keys(value).length === 0))
      facts.push([name.replaceAll("_", " "), textOf(value) ?? ""]);
  }
  return { changes, facts };
}

function differences(before: unknown, after: unknown): Change[] {
  const [one, other] = [flat(before), flat(after)];
  const paths = new Set([...one.keys(), ...other.keys()]);
  return [...paths]
    .map((path) => changeOf(path, one.get(path), other.get(path)))
    .filter((change) => change.before !== change.after);
}

/** Returns the removed and the added items of two lists; otherwise both values. */
function changeOf(path: string, before: unknown, after: unknown): Change {
  if (!isTexts(before) || !isTexts(after)) return { path, before: textOf(before), after: textOf(after) };
  const taken = before.filter((each) => !after.includes(each));
  const added = after.filter((each) => !before.includes(each));
  const text = (texts: readonly string[]): string | undefined => (texts.length === 0 ? undefined : texts.join(", "));
  return { path, before: text(taken), after: text(added) };
}

/** Collects scalars and lists by their path. */
function flat(value: unknown, path = "", into = new Map<string, unknown>()): ReadonlyMap<string, unknown> {
  if (isObject(value))
    for (const [name, each] of Object.entries(value)) flat(each, path === "" ? name : `${path}.${name}`, into);
  else into.set(path, value);
  return into;
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isFromTo(value: unknown): value is { from: unknown; to: unknown } {
  return isObject(value) && "from" in value && "to" in value && Object.keys(value).length === 2;
}

function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string") return value;
  if (isTexts(value)) return value.join(", ");
  return JSON.stringify(value);
}

export type Mark = "revoked" | "rights" | "secret" | "refused";

const RIGHTS =
  /^(member\.(add|update|remove)|project\.member\.|invitation\.(create|accept)|credential\.update|repository\.update|object\.acl\.)/;
const REVOKED =
  /(\.revoke|^member\.remove|^session\.end(_others)?|^key\.retire|^project\.member\.remove|^passkey\.delete|^totp\.turn_off)$/;
const SECRET = /(\.rotate|\.reveal|^password\.change|^recovery_codes\.create|^setup_link\.create)$/;

/**
 * Returns the mark of an important entry: a revocation, changed permissions, a replaced or shown secret, or a refusal.
 */
export function markOf({ action, result }: Pick<AuditEntry, "action" | "result">): Mark | null {
  if (result !== "success") return "refused";
  if (REVOKED.test(action)) return "revoked";
  if (RIGHTS.test(action)) return "rights";
  return SECRET.test(action) ? "secret" : null;
}

/** Returns one line for the list: the first changes, or the first facts. */
export function summaryOf(detail: Readonly<Record<string, unknown>>): string {
  const { changes, facts } = changesAndFacts(detail);
  const parts =
    changes.length > 0
      ? changes.map(({ path, before = "not set", after = "not set" }) => `${path}: ${before} → ${after}`)
      : facts.map(([name, value]) => `${name}: ${value}`);
  return parts.slice(0, 4).join("; ");
}
