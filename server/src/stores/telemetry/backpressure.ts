import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "#kernel/time.ts";
import type { Tables } from "./hot/tables.ts";
import type { TelemetryLog } from "./settings.ts";

export interface BackpressureOptions {
  readonly hot: Pick<Tables, "hotBytes" | "hotBytesOf">;
  /** Appends are delayed while more than this many bytes are not in Parquet yet. */
  readonly backlogBytes: number;
  readonly clock: Clock;
  readonly log: TelemetryLog;
}

/** The longest delay of an append. */
export const DELAY_MS_MAX = 2000;

/** The delay is longest at this many times `backlogBytes`. */
const FULL_AT = 2;
/**
 * Below this share of `backlogBytes` the slow-down ends. The gap avoids a log entry for every step around the limit.
 */
const OVER_AT = 0.75;
/** How often the largest organization is determined again. */
const LOOK_EVERY_MS = 100;

/** How often the bytes of senders are halved, so that only those of the last seconds count. */
const HALVE_EVERY_MS = 5000;
const FORGOTTEN_BYTES = 1024;

/**
 * Computes how long appends wait while compaction is behind. The delay grows with the backlog, and a sender with a
 * fixed number of connections sends less while each of them waits. So the backlog settles where rows are accepted as
 * fast as they are compacted. An organization's delay is proportional to its share of the backlog, relative to the
 * organization with the largest share. In an organization, the same holds for its senders (credentials and people), by the
 * bytes that they sent lately. So one sender's flood delays mostly itself.
 */
export class Backpressure {
  readonly #options: BackpressureOptions;
  #largest = { bytes: 0, at: -Infinity };
  #isSlowing = false;
  /** Bytes that were sent lately, by organization and sender. */
  readonly #sent = new Map<string, Map<string, number>>();
  #halvedAtMs = 0;

  constructor(options: BackpressureOptions) {
    this.#options = options;
  }

  /** Counts an append of a sender. */
  note(orgId: string, sender: string, bytes: number): void {
    this.#halve();
    const senders = this.#sent.get(orgId) ?? new Map<string, number>();
    this.#sent.set(orgId, senders);
    senders.set(sender, (senders.get(sender) ?? 0) + bytes);
  }

  /** Returns the delay in milliseconds of an append of the organization now. Without a sender, that of its largest one. */
  delayMs(orgId: string, sender?: string): number {
    const { hot, backlogBytes } = this.#options;
    const over = hot.hotBytes - backlogBytes;
    if (over <= 0) {
      if (this.#isSlowing && hot.hotBytes < backlogBytes * OVER_AT) this.#report(false);
      return 0;
    }
    if (!this.#isSlowing) this.#report(true);
    const own = hot.hotBytesOf.get(orgId) ?? 0;
    const share = Math.min(1, own / Math.max(1, this.#largestBytes()));
    return DELAY_MS_MAX * Math.min(1, over / (backlogBytes * (FULL_AT - 1))) * share * this.#shareOf(orgId, sender);
  }

  /** Returns the share of a sender, relative to the largest sender of its organization. */
  #shareOf(orgId: string, sender: string | undefined): number {
    this.#halve();
    const senders = this.#sent.get(orgId);
    if (sender === undefined || senders === undefined || senders.size === 0) return 1;
    return (senders.get(sender) ?? 0) / Math.max(1, ...senders.values());
  }

  #halve(): void {
    const nowMs = this.#options.clock.nowMs();
    if (Math.abs(nowMs - this.#halvedAtMs) < HALVE_EVERY_MS) return;
    this.#halvedAtMs = nowMs;
    for (const [orgId, senders] of this.#sent) {
      for (const [sender, bytes] of senders)
        if (bytes < FORGOTTEN_BYTES) senders.delete(sender);
        else senders.set(sender, bytes / 2);
      if (senders.size === 0) this.#sent.delete(orgId);
    }
  }

  #largestBytes(): number {
    const now = this.#options.clock.nowMs();
    if (Math.abs(now - this.#largest.at) >= LOOK_EVERY_MS) {
      let bytes = 0;
      for (const of of this.#options.hot.hotBytesOf.values()) bytes = Math.max(bytes, of);
      this.#largest = { bytes, at: now };
    }
    return this.#largest.bytes;
  }

  #report(isSlowing: boolean): void {
    const { hot, log } = this.#options;
    this.#isSlowing = isSlowing;
    const fields = { backlog_bytes: hot.hotBytes };
    if (isSlowing) log.warn(fields, "telemetry arrives faster than it is compacted: appends are slowed down");
    else log.info(fields, "telemetry is compacted as fast as it arrives again");
  }
}

/** Waits until the time has passed or the signal aborts. */
export async function pauseFor(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => {});
}
