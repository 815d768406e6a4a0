import { isoFromMs } from "#kernel/time.ts";
import type { ProblemPlace } from "#kernel/problem.ts";
import { exactJson } from "#kernel/json-text.ts";
import { EntryCheck, type JsonObject } from "../check.ts";
import { markedName, unmarked } from "../order.ts";
import type { AnyValue, Attributed, KeyValue, Scope } from "./messages.ts";

type Pair = readonly [string, unknown];

/** The result for one record: rows as entries, kept all or none, and the fault that refuses it. */
export interface Mapped {
  readonly rows: readonly MappedRow[];
  readonly faults: readonly ProblemPlace[];
}

export interface MappedRow {
  readonly entry: JsonObject;
  /** The severity number as sent, which says more than the level's word. */
  readonly severity?: number | undefined;
  /** Attributes whose keys do not count: the limits of each were checked separately. The entry's own win. */
  readonly details?: JsonObject | undefined;
}

/** A value in JSON. Numbers that JSON can't write, NaN and the infinities, become the text that OTLP uses for them. */
export function plainOf(value: AnyValue | undefined): unknown {
  if (value === undefined) return null;
  if (value.stringValue !== undefined) return value.stringValue;
  if (value.boolValue !== undefined) return value.boolValue;
  if (value.intValue !== undefined) return integerOf(value.intValue);
  if (value.doubleValue !== undefined) return finite(value.doubleValue);
  if (value.arrayValue !== undefined) return (value.arrayValue.values ?? []).map(plainOf);
  if (value.kvlistValue !== undefined) return objectOf(pairsOf(value.kvlistValue.values)) ?? {};
  return value.bytesValue ?? null;
}

/** The value as one text: a string as it is, anything else as JSON. */
export function textOf(value: AnyValue | undefined): string {
  const plain = plainOf(value);
  if (plain === null) return "";
  return typeof plain === "string" ? plain : unmarked(JSON.stringify(plain));
}

/** Keys as sent; of equal keys the last counts once they are members of an object. */
export function pairsOf(attributes: readonly KeyValue[] = [], prefix = ""): Pair[] {
  return attributes.map(({ key = "", value }) => [prefix + key, plainOf(value)]);
}

/** As `pairsOf`, with texts for values. */
export function textPairsOf(attributes: readonly KeyValue[] = [], prefix = ""): Pair[] {
  return attributes.map(({ key = "", value }) => [prefix + key, textOf(value)]);
}

/** Shared by the records of one scope. */
export interface Origin {
  readonly service: string | undefined;
  readonly pairs: readonly Pair[];
}

/** Attributes of a resource as `resource.*`, of a scope as `scope.*`, so that a record's own are never in doubt. */
export function originOf(resource: Attributed | undefined, scope: Scope | undefined): Origin {
  const service = resource?.attributes?.findLast(({ key }) => key === "service.name")?.value?.stringValue;
  return {
    service: service === "" ? undefined : service,
    pairs: [...pairsOf(resource?.attributes, "resource."), ...pairsOf(scope?.attributes, "scope."), ...nameOf(scope)],
  };
}

export function nameOf(scope: Scope | undefined): Pair[] {
  const pairs: Pair[] = [];
  if (scope?.name) pairs.push(["scope.name", scope.name]);
  if (scope?.version) pairs.push(["scope.version", scope.version]);
  return pairs;
}

/** Undefined for no members, which is NULL. */
export function objectOf(pairs: readonly Pair[]): JsonObject | undefined {
  return pairs.length === 0 ? undefined : Object.fromEntries(pairs.map(([name, value]) => [markedName(name), value]));
}

/** `YYYY-MM-DDTHH:MM:SS.ffffffZ`; 0 is OTLP's "unknown" and undefined here. */
export function timestampOf(nanos: bigint | undefined): string | undefined {
  if (nanos === undefined || nanos === 0n) return undefined;
  const micros = String((nanos / 1000n) % 1000n).padStart(3, "0");
  return `${isoFromMs(Number(nanos / 1_000_000n)).slice(0, -1)}${micros}Z`;
}

/**
 * An identifier of this many hexadecimal digits; undefined when empty or all zeros (W3C Trace Context section 3.2.2).
 */
export function idOf(id: string | undefined): string | undefined {
  return id === undefined || /^0*$/.test(id) ? undefined : id;
}

export function idFaults(member: string, id: string | undefined, digits: 16 | 32): ProblemPlace[] {
  const none = idOf(id) === undefined;
  if (id === undefined || none || (id.length === digits && /^[0-9a-f]+$/.test(id))) return [];
  return [{ pointer: `/${member}`, detail: `must have ${digits} hexadecimal digits` }];
}

/** Faults of a value that is kept as JSON text: the limits of attributes hold for it too. */
export function nestedFaults(member: string, value: unknown): ProblemPlace[] {
  const check = new EntryCheck();
  check.attributes({ "": value });
  return check.faulty ? [{ pointer: `/${member}`, detail: check.places[0]?.detail ?? "is not valid" }] : [];
}

function integerOf(value: number | bigint): unknown {
  return typeof value === "number" ? value : exactJson.rawJSON(String(value));
}

function finite(value: number): number | string {
  return Number.isFinite(value) ? value : String(value);
}
