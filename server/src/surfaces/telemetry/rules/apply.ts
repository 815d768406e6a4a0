import { crc32 } from "node:zlib";
import type { MaskName, Rule, RuleCounts } from "#domain/ingest-rules/index.ts";
import { exactJson } from "#kernel/json-text.ts";
import type { TelemetryType } from "#stores/telemetry/index.ts";
import { isObject, type JsonObject } from "../wire/check.ts";
import { lineOf, parseOrdered } from "../wire/entry.ts";
import { unmarked } from "../wire/order.ts";
import { hasEscape, isCard, maskText, mayNeedMask } from "./mask.ts";
import { matches } from "./match.ts";
import { hidesText, mayBeIn, mayMatch, needsOf, possibleMasks, type Needs } from "./quick.ts";

interface Rows {
  /** NDJSON, as in `Batch.rows`. */
  readonly rows: Buffer;
  readonly count: number;
}

export interface Ruled extends Rows {
  /** The rows that rules removed. Their sender gets the usual answer. */
  readonly removed: number;
  /** By the ids of rules. */
  readonly ruleCounts: Readonly<Record<string, RuleCounts>>;
}

/** Applies rules in their order to encoded rows, before anything is written. The rows are the same buffer if none changed. */
export function applyRules(type: TelemetryType, { rows, count }: Rows, rules: readonly Rule[]): Ruled {
  let decoded: string | undefined;
  const text = (): string => (decoded ??= rows.toString("utf8"));
  const run = new RuleRun(type, rules, { rows, text });
  if (!run.mayChange) return { rows, count, removed: 0, ruleCounts: run.counts(count) };
  const { kept, left, isChanged } = keptLines(text(), run);
  const ruleCounts = run.counts();
  if (!isChanged) return { rows, count, removed: 0, ruleCounts };
  return { rows: Buffer.from(kept), count: left, removed: count - left, ruleCounts };
}

function keptLines(text: string, run: RuleRun): { kept: string; left: number; isChanged: boolean } {
  let [kept, left, isChanged] = ["", 0, false];
  for (let start = 0; start < text.length;) {
    const newline = text.indexOf("\n", start);
    const end = newline < 0 ? text.length : newline + 1;
    const line = text.slice(start, end);
    const after = run.apply(line);
    if (after !== line) isChanged = true;
    if (after !== undefined) {
      kept += after;
      left += 1;
    }
    start = end;
  }
  return { kept, left, isChanged };
}

/** All rows that a run will see, to leave out the work that none of them needs. */
interface All {
  readonly rows: Buffer;
  readonly text: () => string;
}

interface Prepared {
  readonly rule: Rule;
  readonly needs: Needs;
  /** Whether every row matches. */
  readonly isForAll: boolean;
  /** The patterns of a mask that may be in the rows. */
  readonly masks: readonly MaskName[];
  readonly counts: { -readonly [N in keyof RuleCounts]: number };
}

/** The rules of one type, with their counts. */
export class RuleRun {
  readonly #type: TelemetryType;
  readonly #rules: readonly Prepared[];

  constructor(type: TelemetryType, rules: readonly Rule[], all?: All) {
    this.#type = type;
    const kept: Prepared[] = [];
    // After a mask, rows may contain other text than before.
    let isUnknown = all === undefined || hidesText(all.rows);
    for (const rule of rules.filter(({ types }) => types.includes(type))) {
      const next = prepared(rule, all);
      if (isUnknown || all === undefined || mayBeIn(all.rows, next.needs)) kept.push(next);
      isUnknown ||= next.masks.length > 0;
    }
    this.#rules = kept;
  }

  /** False: no rule changes any of the rows, and each rule that is left matches all of them. */
  get mayChange(): boolean {
    return this.#rules.some(
      ({ rule, isForAll, masks }) => !isForAll || rule.action.kind !== "mask" || masks.length > 0,
    );
  }

  /** Returns the line of the row as it is stored; undefined when a rule removes it. */
  apply(line: string): string | undefined {
    let text = line;
    let parsed: JsonObject | undefined;
    let done: readonly MaskName[] = [];
    const isHidden = hidesText(line);
    for (const { rule, needs, isForAll, masks, counts } of this.#rules) {
      if (!isForAll) {
        if (!isHidden && !mayMatch(text, needs)) continue;
        parsed ??= parsedRow(text);
        if (!matches(this.#type, parsed, rule)) continue;
      }
      counts.matched += 1;
      const { action } = rule;
      if (action.kind === "mask") {
        const patterns = done.length === 0 ? masks : masks.filter((name) => !done.includes(name));
        done = [...done, ...patterns];
        const masked = maskedLine(this.#type, text, patterns);
        if (masked === undefined) continue;
        if (masked.isMasked) counts.masked += 1;
        [text, parsed] = [masked.text, undefined];
      } else if (action.kind === "drop" || !isSampled(this.#type, line, action.oneOf)) {
        counts.removed += 1;
        return undefined;
      }
    }
    return text;
  }

  /** With the number of rows that matched without being applied one by one. */
  counts(matched = 0): Readonly<Record<string, RuleCounts>> {
    return Object.fromEntries(
      this.#rules.map(({ rule, counts }) => [rule.id, { ...counts, matched: counts.matched + matched }]),
    );
  }
}

function prepared(rule: Rule, all: All | undefined): Prepared {
  const { action, match, projectId } = rule;
  const masks =
    action.kind !== "mask" ? [] : all === undefined ? action.masks : possibleMasks(all.rows, all.text, action.masks);
  const isForAll = projectId === null && Object.keys(match).length === 0;
  return { rule, needs: needsOf(rule), isForAll, masks, counts: { matched: 0, removed: 0, masked: 0 } };
}

/** Attributes may be a text that contains their JSON, see `lineOf`. */
function parsedRow(text: string): JsonObject {
  const row = JSON.parse(text) as JsonObject;
  const { attributes } = row;
  return typeof attributes === "string" ? { ...row, attributes: JSON.parse(attributes) as unknown } : row;
}

/** Whether a row is kept. The result depends only on the row, so all nodes and repeats agree. */
function isSampled(type: TelemetryType, line: string, oneOf: number): boolean {
  const hasTrace = type !== "metrics" && line.includes('"trace_id"');
  const { trace_id: trace } = hasTrace ? (JSON.parse(line) as { trace_id?: unknown }) : {};
  const subject = typeof trace === "string" && trace !== "" ? trace : line;
  return mixed(crc32(subject)) % oneOf === 0;
}

/** The end of MurmurHash3, because the low digits of a checksum are not even enough. */
function mixed(checksum: number): number {
  let hash = checksum ^ (checksum >>> 16);
  hash = Math.imul(hash, 0x85ebca6b);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** The members whose texts are masked. */
const MASKED: Readonly<Record<TelemetryType, readonly string[]>> = {
  logs: ["message", "attributes"],
  metrics: ["tags"],
  traces: ["name", "attributes"],
};

/**
 * Returns the line without secrets; undefined if it stays as it is. A line whose text has more than its values, such as a
 * repeated name or an escape, is written again, because a hidden value must not be stored either.
 */
function maskedLine(
  type: TelemetryType,
  line: string,
  patterns: readonly MaskName[],
): { readonly text: string; readonly isMasked: boolean } | undefined {
  if (!mayNeedMask(line, patterns)) return undefined;
  const row = parseOrdered(line) as Record<string, unknown>;
  const mask = new Masker(patterns);
  for (const name of MASKED[type]) if (row[name] !== undefined) row[name] = mask.member(name, row[name]);
  if (!mask.isChanged && !hasEscape(line) && maskText(line, patterns) === line) return undefined;
  return { text: lineOf(row, { hasLongFraction: false }), isMasked: mask.isChanged };
}

/** Masks values, and notes whether any changed. */
class Masker {
  readonly #patterns: readonly MaskName[];
  isChanged = false;

  constructor(patterns: readonly MaskName[]) {
    this.#patterns = patterns;
  }

  /** Attributes may be a text that contains their JSON, see `lineOf`. */
  member(name: string, value: unknown): unknown {
    if (name !== "attributes" || typeof value !== "string") return this.value(value);
    return unmarked(JSON.stringify(this.value(parseOrdered(value))));
  }

  value(value: unknown): unknown {
    if (typeof value === "string") return this.#noted(value, maskText(value, this.#patterns));
    if (typeof value === "number") return this.#number(value, String(value));
    if (typeof value !== "object" || value === null) return value;
    if (exactJson.isRawJSON(value)) return this.#number(value, value.rawJSON);
    if (Array.isArray(value)) return value.map((item) => this.value(item));
    return isObject(value) ? this.#object(value) : value;
  }

  #object(value: JsonObject): JsonObject {
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, this.value(member)]));
  }

  /** A card is also found if it was sent as a number. */
  #number(value: unknown, digits: string): unknown {
    return this.#patterns.includes("card") && isCard(digits) ? this.#noted(value, "[card]") : value;
  }

  #noted<T>(before: T, after: T | string): T | string {
    if (before !== after) this.isChanged = true;
    return after;
  }
}
