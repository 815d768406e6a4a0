import { setTimeout as delay } from "node:timers/promises";
import type { Principal } from "#domain/identity/index.ts";
import type { RefusedEntries, RefusedReason } from "#domain/refused-entries/index.ts";
import type { Zone } from "#domain/telemetry/text/index.ts";
import { Problem } from "#kernel/problem.ts";
import type { Clock } from "#kernel/time.ts";
import type { TelemetryStore } from "#stores/telemetry/index.ts";
import { servicesOf } from "../operations/ingest.ts";
import { batchesOf } from "../protocols/append-once.ts";
import type { IngestRuleParts } from "../deps.ts";
import { batchOf } from "../refused-entries.ts";
import { applyRules } from "../rules/apply.ts";
import { EntryCheck } from "../wire/check.ts";
import { encodeEntry } from "../wire/entry.ts";
import type { SyslogCounts } from "./counts.ts";
import { entryOf } from "./entry.ts";
import { decompressed, type Frame } from "./framing.ts";
import { parseSyslog, type SyslogMessage } from "./message.ts";

export interface IntakeDeps {
  readonly store: Pick<TelemetryStore, "admit" | "append" | "acceptedTimes">;
  readonly clock: Clock;
  readonly log: { warn(fields: object, message: string): void; error(fields: object, message: string): void };
  /**
   * Returns the owner of a key that may write telemetry.
   * @throws Problem when the key is not valid, or not from this address
   */
  readonly authenticate: (key: string, ip: string) => Promise<Principal>;
  /** Calls `ended` when the key loses its permission. Returns a function that stops this. */
  readonly watch: (key: string, ip: string, ended: () => void) => () => void;
  /** Called for each batch of a known owner. */
  readonly counted: (
    principal: Principal,
    batch: { readonly ip: string; readonly isRefused: boolean; readonly bytes: number },
  ) => void;
  /** Rules for the rows of senders. */
  readonly rules: IngestRuleParts;
  /** Counts refused messages by sender and reason. */
  readonly refused: Pick<RefusedEntries, "add">;
  /** The key of messages without one. */
  readonly key: string | null;
  readonly zone: Zone;
}

export interface Received {
  readonly frame: Frame;
  readonly peer: string;
}

export interface StoredMessages {
  /** The valid keys of the messages. */
  readonly keys: readonly string[];
  readonly isRefused: boolean;
}

interface Storing {
  readonly counts: SyslogCounts;
  readonly signal: AbortSignal | undefined;
}

interface EncodedMessages {
  readonly rows: Buffer;
  readonly count: number;
  readonly refused: readonly RefusedReason[] | undefined;
}

interface Parsed {
  readonly message: SyslogMessage;
  readonly cut: boolean;
  readonly peer: string;
}

/** Problems after which the same rows may be accepted later. */
const LATER = new Set(["quota_exceeded", "rate_limited", "unavailable", "disk_full", "read_timeout"]);
const RETRY_AFTER_S = 1;
const WARN_EVERY_MS = 60_000;

/** Parses messages and stores them in one batch for each key. */
export class Intake {
  readonly #deps: IntakeDeps;
  #warnedMs = Number.NEGATIVE_INFINITY;

  constructor(deps: IntakeDeps) {
    this.#deps = deps;
  }

  /** The key of messages without one. */
  get key(): string | null {
    return this.#deps.key;
  }

  /** Checks the key of the listener, if it has one. @throws Problem */
  async check(peer: string, signal: AbortSignal): Promise<void> {
    const { key, authenticate } = this.#deps;
    if (key !== null) await this.#now(async () => authenticate(key, peer), signal);
  }

  /** Calls `ended` when a connection with this key must end. Returns a function that stops this. */
  watch(key: string, peer: string, ended: () => void): () => void {
    return this.#deps.watch(key, peer, ended);
  }

  /**
   * Stores the messages; resolves when they are on disk. With `signal`, waits while they can't be stored, until it is
   * aborted. Without it, they are dropped. Returns the valid keys, and whether messages without one were refused.
   */
  async store(received: readonly Received[], counts: SyslogCounts, signal?: AbortSignal): Promise<StoredMessages> {
    const byKey = new Map<string | null, Parsed[]>();
    for (const each of received) this.#parse(each, byKey, counts);
    const keys: string[] = [];
    let isRefused = false;
    for (const [key, messages] of byKey) {
      const isValid = await this.#storeWith(key, messages, { counts, signal });
      if (isValid && key !== null) keys.push(key);
      isRefused ||= !isValid;
    }
    return { keys, isRefused };
  }

  /** Returns whether the key is valid. */
  async #storeWith(key: string | null, messages: readonly Parsed[], { counts, signal }: Storing): Promise<boolean> {
    const peer = messages[0]?.peer ?? "";
    try {
      const principal = await this.#now(() => this.#ownerOf(key, peer), signal);
      if (principal === undefined) counts.dropped += messages.length;
      else await this.#append(principal, messages, { counts, signal });
      return true;
    } catch (error) {
      if (!(error instanceof Problem) || !error.isCallers) throw error;
      this.#warn(peer, error.message);
      counts.refused += messages.length;
      return false;
    }
  }

  /** @throws Problem when the key is not valid, or that is unknown */
  async #ownerOf(key: string | null, peer: string): Promise<Principal> {
    if (key !== null) return this.#deps.authenticate(key, peer);
    throw new Problem("unauthorized", "The message has no key, and syslog_key is not set.");
  }

  #parse({ frame, peer }: Received, byKey: Map<string | null, Parsed[]>, counts: SyslogCounts): void {
    const plain = decompressed(frame);
    if (plain === undefined) {
      counts.refused += 1;
      return;
    }
    const times = { zone: this.#deps.zone, nowMs: this.#deps.clock.nowMs() };
    const message = parseSyslog(plain.bytes.toString("utf8"), times);
    const key = message.key ?? this.#deps.key;
    const parsed = { message, cut: plain.cut, peer };
    const others = byKey.get(key);
    if (others === undefined) byKey.set(key, [parsed]);
    else others.push(parsed);
  }

  async #append(principal: Principal, messages: readonly Parsed[], { counts, signal }: Storing): Promise<void> {
    const { store, counted } = this.#deps;
    const { orgId } = principal;
    const sent = this.#encode(principal, messages);
    counts.refused += messages.length - sent.count;
    if (sent.refused !== undefined) this.#countRefused(principal, sent.refused);
    const { rows, count } = await this.#ruled(principal, sent, { counts, signal });
    for (const batch of batchesOf(rows, count)) {
      const appended = await this.#now(async () => {
        store.admit(orgId);
        return store.append({ orgId, sender: principal.id, type: "logs", ...batch });
      }, signal);
      const bytes = batch.rows.byteLength;
      counted(principal, { ip: messages[0]?.peer ?? "", isRefused: appended === undefined, bytes });
      if (appended === undefined) counts.dropped += batch.count;
      else counts.stored += batch.count;
    }
  }

  /** Repeats an act until the server can do it. Without `signal`, returns undefined if it can't do it now. */
  async #now<T>(act: () => Promise<T>, signal: AbortSignal | undefined): Promise<T | undefined> {
    for (;;) {
      try {
        return await act();
      } catch (error) {
        if (!(error instanceof Problem) || !LATER.has(error.code)) throw error;
        if (signal === undefined) return undefined;
        await delay((error.options.retryAfterS ?? RETRY_AFTER_S) * 1000, undefined, { signal });
      }
    }
  }

  #countRefused(principal: Principal, refused: readonly RefusedReason[]): void {
    const sent = { principal, protocol: "syslog", type: "logs", projectId: projectOf(principal) } as const;
    this.#deps.refused.add(batchOf(sent, refused));
  }

  #encode(principal: Principal, messages: readonly Parsed[]): EncodedMessages {
    const options = {
      projectId: projectOf(principal),
      lenient: true,
      services: servicesOf(principal),
      times: this.#deps.store.acceptedTimes(principal.orgId, "logs"),
    };
    const check = new EntryCheck(options);
    const nowMs = this.#deps.clock.nowMs();
    let [text, count] = ["", 0];
    for (const { message, cut, peer } of messages) {
      check.begin(count);
      const line = encodeEntry(entryOf(message, { nowMs, peer, cut }), { type: "logs", options, mend: false }, check);
      if (check.faulty) continue;
      text += line;
      count += 1;
    }
    return { rows: Buffer.from(text), count, refused: check.refused };
  }

  /** Applies the rules. Messages that a rule removes count as stored. Without the rules, nothing is stored. */
  async #ruled(
    principal: Principal,
    sent: { rows: Buffer; count: number },
    { counts, signal }: Storing,
  ): Promise<{ rows: Buffer; count: number }> {
    const { sets, counter } = this.#deps.rules;
    const found = await this.#now(async () => ({ rules: await sets.of(principal) }), signal);
    if (found === undefined) {
      counts.dropped += sent.count;
      return { rows: Buffer.alloc(0), count: 0 };
    }
    if (found.rules === undefined) return sent;
    const ruled = applyRules("logs", sent, found.rules);
    counter.add(principal.orgId, ruled.ruleCounts);
    counts.stored += ruled.removed;
    return ruled;
  }

  /** Logs at most one line a minute: senders repeat their messages. */
  #warn(peer: string, reason: string): void {
    const nowMs = this.#deps.clock.nowMs();
    if (nowMs - this.#warnedMs < WARN_EVERY_MS) return;
    this.#warnedMs = nowMs;
    this.#deps.log.warn({ peer, reason }, "syslog messages are refused");
  }
}

function projectOf(principal: Principal): string | null {
  return principal.kind === "credential" ? principal.projectId : null;
}
