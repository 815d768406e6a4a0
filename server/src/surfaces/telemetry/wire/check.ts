import type { EntryRefusal } from "@mooring/contract";
import type { RefusedReason } from "#domain/refused-entries/index.ts";
import { ATTRIBUTES_DEPTH_MAX, ENTRY_KEYS_MAX, PROBLEM_PLACES_MAX } from "#kernel/limits.ts";
import { exactJson, isRoundedInteger } from "#kernel/json-text.ts";
import type { ProblemPlace } from "#kernel/problem.ts";
import type { AcceptedTimes } from "#stores/telemetry/index.ts";
import { unmarkedName } from "./order.ts";
import { RefusedTally } from "./refused.ts";
import { normalTimestamp } from "./timestamp.ts";

export type JsonObject = Readonly<Record<string, unknown>>;

/** Longer names are cut in messages, so that the answer stays readable. */
const NAME_CHARS_MAX = 100;

/** The most services that a message names. */
const SERVICES_SHOWN_MAX = 10;

const NOT_FINITE: ProblemPlace = { pointer: "", detail: "must be a finite number" };

export interface EntryLimits {
  /** The times that entries may have. Undefined: any time. */
  readonly times?: AcceptedTimes | undefined;
  /** The only services that the sender may write. Undefined: all. */
  readonly services?: readonly string[] | undefined;
}

/** Checks the members of one entry after another and collects their faults. */
export class EntryCheck {
  /** The first faults of all entries. */
  readonly places: ProblemPlace[] = [];
  /** Whether the current entry has a fault. */
  faulty = false;
  /** The first fault of the current entry: its place in the entry and the reason. */
  firstFault: string | undefined;
  /**
   * Whether the current entry has a fraction in its attributes that a double can't hold. DuckDB's reader would round
   * it.
   */
  hasLongFraction = false;
  readonly #times: AcceptedTimes | undefined;
  readonly #refused = new RefusedTally();
  readonly #services: readonly string[] | undefined;
  #index = 0;
  #line = 0;
  #keys = 0;

  constructor({ times, services }: EntryLimits = {}) {
    this.#times = times;
    this.#services = services;
  }

  /** The refused entries by reason; undefined when there are none. */
  get refused(): readonly RefusedReason[] | undefined {
    return this.#refused.all();
  }

  /** Keeps the beginning of the current entry, which is refused, as a sample for people. */
  keepSample(entry: unknown): void {
    this.#refused.keepSample(entry);
  }

  /** `line` is the entry's line in the body, counted from 1; 0 for a body that is one object. */
  begin(index: number, line = 0): void {
    this.#index = index;
    this.#line = line;
    this.#keys = 0;
    this.faulty = false;
    this.firstFault = undefined;
    this.hasLongFraction = false;
  }

  /** Refuses the current entry. Its first fault decides the reason under which it is counted. */
  fault(pointer: string, detail: string, reason: EntryRefusal = "bad_value"): void {
    if (!this.faulty) this.#refused.add(reason, { pointer: `/entries/${this.#index}${pointer}`, detail });
    this.faulty = true;
    this.firstFault ??= pointer === "" ? detail : `${pointer.slice(1)} ${detail}`;
    if (this.places.length >= PROBLEM_PLACES_MAX) return;
    const line = this.#line === 0 ? "" : ` (line ${this.#line})`;
    this.places.push({ pointer: `/entries/${this.#index}${pointer}`, detail: `${detail}${line}` });
  }

  /** Refuses every member that an entry of this type does not have. */
  members(entry: JsonObject, known: ReadonlySet<string>): void {
    for (const name in entry) {
      this.#keys += 1;
      if (!known.has(name))
        this.fault(`/${escaped(name)}`, "is not a member of an entry of this type", "unknown_member");
    }
  }

  timestamp(value: unknown): string | undefined {
    if (value === undefined) return this.#missing("timestamp");
    const normal = typeof value === "string" ? normalTimestamp(value) : undefined;
    if (normal === undefined) {
      this.fault(
        "/timestamp",
        "must be a date-time of ISO 8601 with its offset from UTC, for example 2026-11-20T08:00:00.123Z",
        "bad_timestamp",
      );
    } else {
      this.#within(normal);
    }
    return normal;
  }

  /** Refuses a time that no query would return, and one far ahead, which the wrong clock of a sender writes. */
  #within(time: string): void {
    if (this.#times === undefined) return;
    const { notBefore, notAfter } = this.#times;
    if (time < notBefore) this.fault("/timestamp", `is too old: entries before ${notBefore} are not kept`, "too_old");
    if (time > notAfter) {
      this.fault(
        "/timestamp",
        `is in the future: entries after ${notAfter} are not accepted; check the clock of the sender`,
        "in_future",
      );
    }
  }

  text(entry: JsonObject, name: string, charsMax = Number.POSITIVE_INFINITY): string | undefined {
    const value = entry[name];
    if (value === undefined) return this.#missing(name);
    return this.#string(value, name, charsMax);
  }

  optionalText(entry: JsonObject, name: string): string | undefined {
    const value = entry[name];
    return value === undefined ? undefined : this.#string(value, name, Number.POSITIVE_INFINITY);
  }

  /**
   * Returns the service of an entry of logs or traces. A sender that is limited to one service need not name it.
   */
  service(entry: JsonObject): string | undefined {
    return this.#allowed(this.optionalText(entry, "service"), "/service");
  }

  /** Returns the tags of a sample, with the service of a sender that is limited to one. */
  tagsWithService(value: unknown): JsonObject | undefined {
    const tags = this.tags(value);
    if (this.#services === undefined || this.faulty) return tags;
    const [name, sent] = ["service.name", "service"].map((tag) => [tag, tags?.[tag]] as const).find(isSent) ?? [];
    const service = this.#allowed(sent as string | undefined, `/tags/${name ?? "service"}`);
    return sent === undefined && service !== undefined ? { ...tags, service } : tags;
  }

  /** Returns the service if the sender may write it. */
  #allowed(service: string | undefined, pointer: string): string | undefined {
    const services = this.#services;
    if (services === undefined || this.faulty) return service;
    if (service === undefined && services.length === 1) return services[0];
    if (service !== undefined && services.includes(service)) return service;
    const allowed = services.slice(0, SERVICES_SHOWN_MAX).join(", ");
    this.fault(pointer, `must be a service to which this credential is limited: ${allowed}`, "other_service");
    return undefined;
  }

  number(entry: JsonObject, name: string): number | undefined {
    let value = entry[name];
    if (value === undefined) return this.#missing(name);
    if (exactJson.isRawJSON(value)) {
      const text = value.rawJSON;
      value = Number(text);
      if (isRoundedInteger(text, value as number)) {
        this.fault(
          `/${name}`,
          `is a whole number that a double can't hold: it would become ${BigInt(value as number)}`,
        );
        return undefined;
      }
    }
    if (typeof value === "number" && Number.isFinite(value)) return value;
    this.fault(`/${name}`, "must be a finite number");
    return undefined;
  }

  attributes(value: unknown): JsonObject | undefined {
    if (value === undefined) return undefined;
    if (!isObject(value)) {
      this.fault("/attributes", "must be an object");
      return undefined;
    }
    const wrong = this.#faultIn(value, 1);
    if (wrong !== undefined) this.fault(`/attributes${wrong.pointer}`, wrong.detail);
    this.#checkKeys();
    return value;
  }

  tags(value: unknown): JsonObject | undefined {
    if (value === undefined) return undefined;
    if (!isObject(value)) {
      this.fault("/tags", "must be an object with string values");
      return undefined;
    }
    for (const name in value) {
      this.#keys += 1;
      if (typeof value[name] !== "string") this.fault(`/tags/${escaped(name)}`, "must be a string");
    }
    this.#checkKeys();
    return value;
  }

  #missing(name: string): undefined {
    this.fault(`/${name}`, "is required", "missing_member");
  }

  #string(value: unknown, name: string, charsMax: number): string | undefined {
    if (typeof value !== "string") {
      this.fault(`/${name}`, "must be a string");
      return undefined;
    }
    // UTF-16 units are never fewer than characters, so counting characters is rarely needed.
    if (value.length > charsMax && Array.from(value).length > charsMax) {
      this.fault(`/${name}`, `must have at most ${charsMax} characters`);
    }
    return value;
  }

  #checkKeys(): void {
    if (this.#keys > ENTRY_KEYS_MAX)
      this.fault("", `has more than ${ENTRY_KEYS_MAX} keys, all levels counted`, "too_many_attributes");
  }

  /** Returns the first fault in a free-form value. */
  #faultIn(value: object, depth: number): ProblemPlace | undefined {
    if (depth > ATTRIBUTES_DEPTH_MAX)
      return { pointer: "", detail: `is nested deeper than ${ATTRIBUTES_DEPTH_MAX} levels` };
    if (Array.isArray(value)) return this.#faultInList(value, depth);
    for (const name in value) {
      this.#keys += 1;
      const wrong = this.#faultOf((value as JsonObject)[name], depth);
      if (wrong !== undefined) return { pointer: `/${escaped(name)}${wrong.pointer}`, detail: wrong.detail };
    }
    return undefined;
  }

  #faultInList(list: readonly unknown[], depth: number): ProblemPlace | undefined {
    for (let index = 0; index < list.length; index++) {
      const wrong = this.#faultOf(list[index], depth);
      if (wrong !== undefined) return { pointer: `/${index}${wrong.pointer}`, detail: wrong.detail };
    }
    return undefined;
  }

  #faultOf(value: unknown, depth: number): ProblemPlace | undefined {
    if (typeof value === "number") return Number.isFinite(value) ? undefined : NOT_FINITE;
    if (typeof value !== "object" || value === null) return undefined;
    if (!exactJson.isRawJSON(value)) return this.#faultIn(value, depth + 1);
    if (!Number.isFinite(Number(value.rawJSON))) return NOT_FINITE;
    this.hasLongFraction ||= /[.eE]/.test(value.rawJSON);
    return undefined;
  }
}

function isSent([, value]: readonly [string, unknown]): boolean {
  return value !== undefined;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !exactJson.isRawJSON(value);
}

/** Escapes a name as a token of a JSON pointer (RFC 6901 section 3). */
export function escaped(name: string): string {
  const sent = unmarkedName(name);
  const cut = sent.length > NAME_CHARS_MAX ? `${sent.slice(0, NAME_CHARS_MAX)}…` : sent;
  return cut.toWellFormed().replaceAll("~", "~0").replaceAll("/", "~1");
}
