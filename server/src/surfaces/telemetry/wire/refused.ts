import type { EntryRefusal } from "@mooring/contract";
import type { EntrySample, RefusedReason } from "#domain/refused-entries/index.ts";
import { exactJson } from "#kernel/json-text.ts";
import { withoutSecrets } from "#kernel/secrets.ts";
import { unmarked } from "./order.ts";

/** The samples of one request for each reason. */
const SAMPLES_MAX = 3;
const SAMPLE_CHARS_MAX = 1024;
const SAMPLE_VALUES_MAX = 100;
const SAMPLE_DEPTH_MAX = 8;
/** Long values may be content of people, and are rarely the fault. */
const VALUE_CHARS_MAX = 64;

interface Counted {
  entries: number;
  readonly samples: EntrySample[];
}

/** Counts the refused entries of one request by reason. */
export class RefusedTally {
  readonly #reasons = new Map<EntryRefusal, Counted>();
  /** Receives the entry of the last refusal. */
  #last: Counted | undefined;

  add(reason: EntryRefusal, { pointer, detail }: Omit<EntrySample, "entry">): void {
    const counted = this.#reasons.get(reason) ?? { entries: 0, samples: [] };
    this.#reasons.set(reason, counted);
    counted.entries += 1;
    this.#last = undefined;
    if (counted.samples.length >= SAMPLES_MAX) return;
    counted.samples.push({ pointer, detail: withoutSecrets(detail), entry: null });
    this.#last = counted;
  }

  keepSample(entry: unknown): void {
    const sample = this.#last?.samples.pop();
    if (sample === undefined) return;
    this.#last?.samples.push({ ...sample, entry: sampleText(entry) });
    this.#last = undefined;
  }

  all(): readonly RefusedReason[] | undefined {
    if (this.#reasons.size === 0) return undefined;
    return [...this.#reasons].map(([reason, { entries, samples }]) => ({ reason, entries, samples }));
  }
}

/** Returns the beginning of an entry as JSON of at most 1,024 characters, with long texts cut and without secrets. */
export function sampleText(entry: unknown): string {
  const text = JSON.stringify(cut(entry, { values: SAMPLE_VALUES_MAX, depth: SAMPLE_DEPTH_MAX }));
  return withoutSecrets(unmarked(text ?? "null")).slice(0, SAMPLE_CHARS_MAX);
}

/** Copies a value up to a number of values and a depth, so that the work does not depend on the entry. */
function cut(value: unknown, left: { values: number; depth: number }): unknown {
  if (typeof value === "string") return value.length > VALUE_CHARS_MAX ? `${value.slice(0, VALUE_CHARS_MAX)}…` : value;
  if (typeof value !== "object" || value === null || exactJson.isRawJSON(value)) return value;
  if (left.depth === 0) return "…";
  left.depth -= 1;
  // Without a prototype, so that a member with the name __proto__ is like any other.
  const copy = (Array.isArray(value) ? [] : Object.create(null)) as Record<string, unknown>;
  for (const name in value) {
    if (left.values === 0) break;
    left.values -= 1;
    copy[name] = cut((value as Record<string, unknown>)[name], left);
  }
  left.depth += 1;
  return copy;
}
