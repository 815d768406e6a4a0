import { appendAudit, type AuditEvent } from "#domain/audit/index.ts";
import type { Clock } from "#kernel/time.ts";
import type { Schedule, ScheduledWork } from "#stores/jobs/index.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";

/** A refused sign-in or token request. */
export interface Refusal {
  /** Null if the client is unknown. */
  readonly orgId: string | null;
  readonly credentialId: string | null;
  /** The person who tried to sign in. Absent for clients. Null: unknown. */
  readonly userId?: string | null;
  /** False: the client did not show the credential's secret. */
  readonly signedIn: boolean;
  /** Only an id of the right form is kept, because people paste secrets into the wrong field. */
  readonly clientId: string | null;
  readonly reason: string;
  readonly ip: string | null;
  readonly requestId: string | null;
}

interface Pending {
  readonly refusal: Refusal;
  count: number;
}

export interface RefusalLogDeps {
  readonly metadata: MetadataStore;
  readonly clock: Clock;
  readonly log: { warn(fields: object, message: string): void };
  readonly schedule: Schedule;
}

const FLUSH_MS = 1_000;
/** The most rows a minute. More refusals become one row with their number. */
const ROWS_PER_MINUTE = 120;
const MINUTE_MS = 60_000;
/** The most different refusals in memory. */
const PENDING_MAX = 1_000;

/**
 * Writes refusals to the audit log, but clients can't fill the disk with them. Equal refusals of one minute are one row
 * with a count, and the number of rows a minute is limited.
 */
export class RefusalLog {
  readonly #deps: RefusalLogDeps;
  #pending = new Map<string, Pending>();
  #overflow = 0;
  #minuteStartMs = 0;
  #rowsThisMinute = 0;
  readonly #writing: ScheduledWork;
  #written = new Map<string, number>(); // when a row of this key was last written
  #total = 0;

  constructor(deps: RefusalLogDeps) {
    this.#deps = deps;
    const { log, schedule } = deps;
    this.#writing = schedule.add("refusals", {
      everyMs: FLUSH_MS,
      run: () => this.#writeDue(),
      failed: (error) => log.warn({ err: error }, "cannot write refusals to the audit log"),
      onlyAsked: true,
    });
  }

  get total(): number {
    return this.#total;
  }

  record(refusal: Refusal): void {
    this.#total += 1;
    const key = [refusal.orgId, refusal.clientId, refusal.userId, refusal.ip, refusal.reason].join(" ");
    const pending = this.#pending.get(key);
    if (pending !== undefined) pending.count += 1;
    else if (this.#pending.size < PENDING_MAX) this.#pending.set(key, { refusal, count: 1 });
    else this.#overflow += 1;
    this.#writing.ask();
  }

  /** Writes the waiting rows. With `all`, also the rows that still count. */
  async flush(options: { all: boolean }): Promise<void> {
    const nowMs = this.#deps.clock.nowMs();
    const due = this.#takeDue(nowMs, options.all);
    try {
      await this.#write(due, this.#takeOverflow(nowMs, options.all));
    } catch (error) {
      for (const each of due) this.#overflow += each.count; // keep counting until the database accepts rows again
      throw error;
    }
  }

  async #write(due: readonly Pending[], overflow: number): Promise<void> {
    if (due.length === 0 && overflow === 0) return;
    const events = [...due.map(eventOf), ...(overflow === 0 ? [] : [overflowEvent(overflow)])];
    // Sorted by organization, so that all nodes lock the chains in the same order.
    const ordered = events.toSorted((a, b) => compare(a.orgId ?? "", b.orgId ?? ""));
    await this.#deps.metadata.write(async (tx) => {
      for (const event of ordered) await appendAudit(this.#deps, tx, event);
    });
  }

  async stop(): Promise<void> {
    await this.#writing.stop();
    await this.flush({ all: true });
  }

  /** Writes the refusals that were counted for a minute. */
  async #writeDue(): Promise<void> {
    try {
      await this.flush({ all: false });
    } finally {
      if (this.#pending.size > 0 || this.#overflow > 0) this.#writing.ask();
    }
  }

  /** Takes the first refusal of its kind at once, and further ones once a minute. */
  #takeDue(nowMs: number, all: boolean): Pending[] {
    if (nowMs - this.#minuteStartMs >= MINUTE_MS) {
      this.#minuteStartMs = nowMs;
      this.#rowsThisMinute = 0;
      for (const [key, atMs] of this.#written) if (nowMs - atMs >= MINUTE_MS) this.#written.delete(key);
    }
    const due: Pending[] = [];
    for (const [key, pending] of this.#pending) {
      if (!all && nowMs - (this.#written.get(key) ?? 0) < MINUTE_MS) continue;
      this.#pending.delete(key);
      if (this.#rowsThisMinute >= ROWS_PER_MINUTE) {
        this.#overflow += pending.count;
        continue;
      }
      this.#rowsThisMinute += 1;
      this.#written.set(key, nowMs);
      due.push(pending);
    }
    return due;
  }

  #takeOverflow(nowMs: number, all: boolean): number {
    if (this.#overflow === 0 || (!all && nowMs - (this.#written.get("overflow") ?? 0) < MINUTE_MS)) return 0;
    const count = this.#overflow;
    this.#overflow = 0;
    this.#written.set("overflow", nowMs);
    return count;
  }
}

function eventOf(pending: Pending): AuditEvent {
  const { refusal, count } = pending;
  const { credentialId, userId } = refusal;
  if (userId !== undefined) return eventOfPerson(pending, userId);
  return {
    orgId: refusal.orgId,
    actor: refusal.signedIn ? { kind: "credential", id: credentialId } : { kind: "anonymous", id: null },
    action: "token.refuse",
    ...(credentialId === null ? {} : { target: { kind: "credential", id: credentialId } }),
    result: "denied",
    ip: refusal.ip,
    requestId: refusal.requestId,
    detail: { reason: refusal.reason, client_id: refusal.clientId, count },
  };
}

function eventOfPerson({ refusal, count }: Pending, userId: string | null): AuditEvent {
  return {
    orgId: refusal.orgId,
    actor: { kind: "anonymous", id: null },
    action: "session.refuse",
    ...(userId === null ? {} : { target: { kind: "user", id: userId } }),
    result: "denied",
    ip: refusal.ip,
    requestId: refusal.requestId,
    detail: { reason: refusal.reason, count },
  };
}

function overflowEvent(count: number): AuditEvent {
  const detail = { reason: "more refusals than the audit log accepts in a minute", count };
  return { orgId: null, actor: { kind: "anonymous", id: null }, action: "token.refuse", result: "denied", detail };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
