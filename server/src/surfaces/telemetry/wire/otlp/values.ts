import { isoFromMs } from "#kernel/time.ts";
import type { ProblemPlace } from "#kernel/problem.ts";
import { exactJson } from "#kernel/json-text.ts";
import { EntryCheck, type JsonObject } from "../check.ts";
import { markedName, unmarked } from "../order.ts";
import type { AnyValue, Attributed, KeyValue, Scope } from "./messages.ts";

const PROJECT_ATTRIBUTE = "mooring.project";

type Pair = readonly [string, unknown];

/** Converts a value to JSON. NaN and the infinities become the texts that OTLP has for them. */
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

/** Converts a value to a text: strings unchanged, everything else as JSON. */
export function textOf(value: AnyValue | undefined): string {
  const plain = plainOf(value);
  if (plain === null) return "";
  return typeof plain === "string" ? plain : unmarked(JSON.stringify(plain));
}

/** Returns the attributes with their sent keys. In an object, the last one of equal keys counts. */
export function pairsOf(attributes: readonly KeyValue[] = [], prefix = ""): Pair[] {
  return attributes.map(({ key = "", value }) => [prefix + key, plainOf(value)]);
}

/** As `pairsOf`, with the values as text. */
export function textPairsOf(attributes: readonly KeyValue[] = [], prefix = ""): Pair[] {
  return attributes.map(({ key = "", value }) => [prefix + key, textOf(value)]);
}

/** The properties that all records of one scope share. */
export interface Origin {
  readonly service: string | undefined;
  readonly project: string | undefined;
  readonly pairs: readonly Pair[];
}

/** Names attributes of a resource `resource.*` and of a scope `scope.*`, so that they differ from a record's own. */
export function originOf(resource: Attributed | undefined, scope: Scope | undefined): Origin {
  const service = resource?.attributes?.findLast(({ key }) => key === "service.name")?.value?.stringValue;
  return {
    service: service === "" ? undefined : service,
    project: projectOf(resource),
    pairs: [...pairsOf(resource?.attributes, "resource."), ...pairsOf(scope?.attributes, "scope."), ...nameOf(scope)],
  };
}

/** Returns the project that a resource names for its records. */
export function projectOf(resource: Attributed | undefined): string | undefined {
  return resource?.attributes?.findLast(({ key }) => key === PROJECT_ATTRIBUTE)?.value?.stringValue;
}

export function nameOf(scope: Scope | undefined): Pair[] {
  const pairs: Pair[] = [];
  if (scope?.name) pairs.push(["scope.name", scope.name]);
  if (scope?.version) pairs.push(["scope.version", scope.version]);
  return pairs;
}

/** Undefined when there are no members, which becomes NULL. */
export function objectOf(pairs: readonly Pair[]): JsonObject | undefined {
  return pairs.length === 0 ? undefined : Object.fromEntries(pairs.map(([name, value]) => [markedName(name), value]));
}

/** Formats `YYYY-MM-DDTHH:MM:SS.ffffffZ`. OTLP's 0 means unknown and gives undefined. */
export function timestampOf(nanos: bigint | undefined): string | undefined {
  if (nanos === undefined || nanos === 0n) return undefined;
  const micros = String((nanos / 1000n) % 1000n).padStart(3, "0");
  return `${isoFromMs(Number(nanos / 1_000_000n)).slice(0, -1)}${micros}Z`;
}

/**
 * Returns an identifier of this many hexadecimal digits; undefined when it is empty or all zeros (W3C Trace Context
 * section 3.2.2).
 */
export function idOf(id: string | undefined): string | undefined {
  return id === undefined || /^0*$/.test(id) ? undefined : id;
}

export function idFaults(member: string, id: string | undefined, digits: 16 | 32): ProblemPlace[] {
  const none = idOf(id) === undefined;
  if (id === undefined || none || (id.length === digits && /^[0-9a-f]+$/.test(id))) return [];
  return [{ pointer: `/${member}`, detail: `must have ${digits} hexadecimal digits` }];
}

/** Returns the faults of a value that is kept as JSON text. The limits of attributes apply to it too. */
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
