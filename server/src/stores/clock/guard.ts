import type { Cutoff, Deletion, GuardedClock } from "#kernel/deletions.ts";
import { isoFromMs, type Clock } from "#kernel/time.ts";
import type { Schedule, ScheduledWork } from "#stores/jobs/index.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import { databaseNowMs, newestRecordMs } from "./evidence.ts";
import type { RealTime } from "./real-time.ts";
import { readClockState, takeAcceptance, writeClockState, type KeptClock } from "./state.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** A clock that runs further ahead of the elapsed time than this is not trusted. */
export const AHEAD_MS_MAX = HOUR_MS;
/** The same limit after a time in which no server ran: the elapsed time is unknown then. */
export const OFF_MS_MAX = DAY_MS;
/** Deletions wait this long while a server runs. After that the clock is trusted again. */
export const HOLD_MS = DAY_MS;
/** Smaller corrections of the clock are accepted. Larger ones add up until `AHEAD_MS_MAX`. */
const STEP_MS = 10_000;
const LOOK_EVERY_MS = 10_000;
const WRITE_EVERY_MS = 60_000;
/** This version was released later, so an earlier clock was never set. */
const MADE_AFTER_MS = Date.UTC(2026, 0, 1);

export interface ClockGuardOptions {
  readonly dataDir: string;
  readonly metadata: Pick<MetadataStore, "read" | "dialect">;
  readonly clock: Clock;
  readonly realTime: RealTime;
  /** Null for a command: it only reads, because only the server writes the stored state. */
  readonly schedule: Schedule | null;
  readonly log: { info(fields: object, message: string): void; warn(fields: object, message: string): void };
}

export interface ClockState {
  readonly trusted: boolean;
  /** Why deletions wait, or null when they do not wait. */
  readonly reason: string | null;
  readonly heldSinceMs: number | null;
  /** When the clock will be trusted again by waiting alone, by this clock. Null when there is no such time. */
  readonly heldUntilMs: number | null;
  /** Number of deletions that waited since the start, by name. */
  readonly held: ReadonlyMap<Deletion, number>;
}

interface Moment {
  readonly wallMs: number;
  readonly realMs: number;
}

interface Hold {
  readonly reason: string;
  readonly began: Moment;
  /** How long the hold had lasted before `began`. */
  readonly beforeMs: number;
}

/** Used when no moment is known at which the clock was right. */
const UNKNOWN: Moment = { wallMs: Number.NEGATIVE_INFINITY, realMs: 0 };

/**
 * Decides whether the clock can be trusted to delete. There is one guard for each data directory. See
 * docs/reference/operations.md, "A clock that is wrong".
 */
export class ClockGuard implements GuardedClock {
  readonly #options: ClockGuardOptions;
  readonly #counts = new Map<Deletion, number>();
  readonly #start: Moment;
  #anchor: Moment;
  #seenMs: number;
  #hold: Hold | null = null;
  /** How far the clock is ahead of the database's clock. Only setting the clock right ends this; waiting does not. */
  #aheadOfDatabaseMs = 0;
  /** The clock was once before `MADE_AFTER_MS`. A machine without a battery starts like that. */
  #wasUnset = false;
  #told = new Set<Deletion>();
  #writtenRealMs = Number.NEGATIVE_INFINITY;
  #work: ScheduledWork | undefined;
  #looking: Promise<void> | undefined;

  constructor(options: ClockGuardOptions) {
    this.#options = options;
    this.#start = this.#moment();
    this.#anchor = this.#start;
    this.#seenMs = this.#start.wallMs;
  }

  nowMs(): number {
    return this.#options.clock.nowMs();
  }

  deletionTime(deletion: Deletion): Cutoff | null {
    const nowMs = this.nowMs();
    const reason = this.#doubt();
    if (reason === null) return nowMs as Cutoff;
    this.#counts.set(deletion, (this.#counts.get(deletion) ?? 0) + 1);
    if (!this.#told.has(deletion))
      this.#options.log.warn({ deletion, reason }, "a deletion waits, since the clock can't be trusted");
    this.#told.add(deletion);
    return null;
  }

  isTrusted(): boolean {
    return this.#doubt() === null;
  }

  state(): ClockState {
    const reason = this.#doubt();
    const held = this.#counts;
    const hold = this.#hold;
    if (reason === null || hold === null)
      return { trusted: reason === null, reason, heldSinceMs: null, heldUntilMs: null, held };
    const { wallMs } = hold.began;
    return { trusted: false, reason, heldSinceMs: wallMs, heldUntilMs: wallMs + HOLD_MS - hold.beforeMs, held };
  }

  /** Returns how much further the clock has moved than the elapsed time since the start. */
  offsetMs(): number {
    return drift(this.#start, this.#moment());
  }

  /** Compares the clock with the data directory and the records. Must run before the first deletion. */
  async start(): Promise<void> {
    const { dataDir, metadata } = this.#options;
    const kept = readClockState(dataDir);
    if (kept === undefined) this.#recall(await newestRecordMs(metadata));
    else this.#resume(kept);
    await this.look();
    const { log, schedule } = this.#options;
    if (schedule === null) return;
    const failed = (error: unknown): void => log.warn({ err: error }, "cannot check the clock");
    this.#work = schedule.add("clock", { everyMs: LOOK_EVERY_MS, run: () => this.look(), failed });
  }

  async stop(): Promise<void> {
    await this.#work?.stop();
    await this.#looking;
    this.#write();
  }

  /**
   * Does the checks that are too slow for each deletion: the database's clock, and an acceptance by the operator. Never
   * rejects.
   */
  look(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  /** Records that the operator says the clock is right. */
  accept(): void {
    this.#believe("the clock was accepted: deletions continue");
    this.#write();
  }

  async #look(): Promise<void> {
    const { metadata, log, dataDir, schedule } = this.#options;
    try {
      const theirsMs = await databaseNowMs(metadata);
      this.#aheadOfDatabaseMs = theirsMs === undefined ? 0 : this.nowMs() - theirsMs;
    } catch (error) {
      log.warn({ err: error }, "cannot ask the database for its time");
    }
    if (schedule !== null && takeAcceptance(dataDir)) return this.accept();
    const now = this.#moment();
    if (this.#hold !== null && lasted(this.#hold, now) >= HOLD_MS)
      this.#believe("the clock ran steadily for a day: deletions continue");
    if (this.#doubt() === null && Math.abs(drift(this.#anchor, now)) < STEP_MS) this.#anchor = now;
    if (now.realMs - this.#writtenRealMs >= WRITE_EVERY_MS) this.#write();
  }

  /** Returns why deletions have to wait, or null when they do not. */
  #doubt(): string | null {
    const now = this.#moment();
    this.#wasUnset ||= now.wallMs < MADE_AFTER_MS;
    if (now.wallMs < MADE_AFTER_MS) return `the clock says ${isoFromMs(now.wallMs)}, before this version was made`;
    if (this.#wasUnset) this.#recall(this.#seenMs);
    if (this.#aheadOfDatabaseMs > AHEAD_MS_MAX)
      return `the clock is ${span(this.#aheadOfDatabaseMs)} ahead of the database's: correct both`;
    if (this.#hold !== null) this.#followHold(this.#hold, now);
    else if (drift(this.#anchor, now) > AHEAD_MS_MAX) this.#begin(jumped(drift(this.#anchor, now)), now);
    else if (drift(this.#anchor, now) < -AHEAD_MS_MAX) this.#anchor = now; // set back: deletes less than before
    return this.#hold?.reason ?? null;
  }

  /** Ends the hold when the clock was corrected, and begins a new hold when it jumped again. */
  #followHold(hold: Hold, now: Moment): void {
    const sinceHold = drift(hold.began, now);
    if (sinceHold > AHEAD_MS_MAX) this.#begin(jumped(sinceHold), now);
    else if (Math.abs(drift(this.#anchor, now)) <= AHEAD_MS_MAX)
      this.#believe("the clock was corrected: deletions continue");
    else if (sinceHold < -AHEAD_MS_MAX && now.wallMs - this.#seenMs <= OFF_MS_MAX)
      this.#believe("the clock was set back: deletions continue");
  }

  #begin(reason: string, now: Moment, beforeMs = 0): void {
    this.#hold = { reason, began: now, beforeMs };
    this.#told.clear();
    const until = isoFromMs(now.wallMs + HOLD_MS - beforeMs);
    this.#options.log.warn(
      { reason, held_until: until },
      "the clock is far ahead of the time that has passed: nothing is deleted by time until it is corrected, accepted (mooring clock accept), or ran steadily for a day",
    );
    this.#write();
  }

  #believe(message: string): void {
    if (this.#hold !== null) this.#options.log.info({ reason: this.#hold.reason }, message);
    this.#hold = null;
    this.#anchor = this.#moment();
    this.#seenMs = this.#anchor.wallMs;
  }

  #resume(kept: KeptClock): void {
    const { wall_ms: wallMs, real_ms: realMs, boot_id: bootId } = kept.anchor;
    const { realTime } = this.#options;
    const isComparable = bootId !== null && bootId === realTime.bootId && realMs <= realTime.elapsedMs();
    if (kept.held === null && !isComparable) return this.#recall(kept.seen_at);
    this.#seenMs = kept.seen_at;
    if (kept.held === null) {
      this.#anchor = { wallMs, realMs }; // `#doubt` compares the clock with this anchor
      return;
    }
    const now = this.#moment();
    const isSetBack = now.wallMs < kept.held.since - AHEAD_MS_MAX && now.wallMs - kept.seen_at <= OFF_MS_MAX;
    if (isSetBack) return;
    if (isComparable) {
      this.#anchor = { wallMs, realMs };
      if (Math.abs(drift(this.#anchor, now)) <= AHEAD_MS_MAX) return;
    } else this.#anchor = UNKNOWN;
    this.#begin(kept.held.reason, now, kept.held.for_ms);
  }

  /**
   * Compares the clock with the time at which it was last trusted, when the elapsed time since then is unknown.
   * `seenMs` is 0 if it was never trusted.
   */
  #recall(seenMs: number): void {
    const now = this.#moment();
    this.#wasUnset = now.wallMs < MADE_AFTER_MS;
    this.#seenMs = seenMs;
    this.#anchor = now;
    const aheadMs = now.wallMs - seenMs;
    if (seenMs === 0 || aheadMs <= OFF_MS_MAX) return;
    this.#anchor = UNKNOWN;
    const reason = `the clock is ${span(aheadMs)} ahead of when a server last ran here: the machine was off, or the clock is wrong`;
    this.#begin(reason, now);
  }

  #moment(): Moment {
    return { wallMs: this.nowMs(), realMs: this.#options.realTime.elapsedMs() };
  }

  #write(): void {
    if (this.#options.schedule === null) return;
    const now = this.#moment();
    const hold = this.#hold;
    const isTrusted = hold === null && this.#aheadOfDatabaseMs <= AHEAD_MS_MAX && now.wallMs >= MADE_AFTER_MS;
    if (isTrusted) this.#seenMs = now.wallMs;
    const { wallMs, realMs } = this.#anchor;
    const isKnown = Number.isFinite(wallMs);
    const { bootId } = this.#options.realTime;
    const state: KeptClock = {
      seen_at: this.#seenMs,
      anchor: { wall_ms: isKnown ? wallMs : 0, real_ms: realMs, boot_id: isKnown ? bootId : null },
      held: hold === null ? null : { since: hold.began.wallMs, reason: hold.reason, for_ms: lasted(hold, now) },
    };
    try {
      writeClockState(this.#options.dataDir, state);
      this.#writtenRealMs = now.realMs;
    } catch (error) {
      this.#options.log.warn({ err: error }, "cannot save the state of the clock");
    }
  }
}

function drift(from: Moment, to: Moment): number {
  return to.wallMs - from.wallMs - (to.realMs - from.realMs);
}

function lasted(hold: Hold, now: Moment): number {
  return hold.beforeMs + Math.max(0, now.realMs - hold.began.realMs);
}

function jumped(ms: number): string {
  return `the clock jumped ${span(ms)} ahead of the time that has passed`;
}

function span(ms: number): string {
  const hours = Math.round(ms / HOUR_MS);
  return hours >= 48 ? `${Math.round(hours / 24)} days` : `${hours} h`;
}
