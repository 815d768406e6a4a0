import type { MetadataStore } from "#stores/metadata/index.ts";
import { isoFromMs, type Clock } from "#kernel/time.ts";
import type { TelemetryLog } from "../settings.ts";

const DAY_MS = 86_400_000;

/** A clock that is further ahead than this since it was last looked at may be wrong. */
const JUMP_MS = DAY_MS;
/** So long nothing is dropped then: somebody may set it right meanwhile. */
const HOLD_MS = DAY_MS;

/** A clock that was set by more than this meanwhile is in doubt. */
const DRIFT_MS_MAX = 3_600_000;

export interface ClockWatchOptions {
  readonly metadata: MetadataStore;
  /** The directory's, see `store-id.ts`. */
  readonly storeId: string;
  readonly clock: Clock;
  readonly log: TelemetryLog;
}

/**
 * Whether the clock may be trusted to delete by. It is compared with when it was last looked at, which is kept in the metadata
 * store; a server that was off for long looks the same as a clock that jumped, and waits as well.
 */
export class ClockWatch {
  readonly #options: ClockWatchOptions;
  /** What it was found to be when it was last looked at, on the clock and on one that nobody sets. */
  #last: { readonly steady: boolean; readonly nowMs: number; readonly elapsedMs: number } | undefined;

  constructor(options: ClockWatchOptions) {
    this.#options = options;
  }

  /** Makes the directory known to all servers of the database: an erasure waits for every one that is. */
  async register(): Promise<void> {
    const { metadata, storeId, clock } = this.#options;
    await metadata.write(async (tx) => {
      // Of a directory that is older than this table the newest file tells when somebody last looked at the clock.
      const newest = await tx
        .selectFrom("telemetry_file")
        .select(({ fn }) => fn.max("created_at").as("at"))
        .where("store_id", "=", storeId)
        .executeTakeFirst();
      const row = { id: storeId, seen_at: Number(newest?.at ?? clock.nowMs()), drops_held_until: null };
      await tx
        .insertInto("telemetry_store")
        .values(row)
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    });
  }

  /** Looks at the clock. False: it has jumped, and nothing is to be dropped now. */
  async isSteady(): Promise<boolean> {
    const { metadata, storeId, clock, log } = this.#options;
    const nowMs = clock.nowMs();
    const { seenMs, heldUntilMs } = await metadata.write(async (tx) => {
      const row = await tx
        .selectFrom("telemetry_store")
        .selectAll()
        .where("id", "=", storeId)
        .executeTakeFirstOrThrow();
      const heldUntil = heldUntilOf(row, nowMs);
      await tx
        .updateTable("telemetry_store")
        .set({ seen_at: nowMs, drops_held_until: heldUntil })
        .where("id", "=", storeId)
        .execute();
      return { seenMs: row.seen_at, heldUntilMs: heldUntil };
    });
    this.#last = { steady: heldUntilMs === null, nowMs, elapsedMs: performance.now() };
    if (heldUntilMs === null) return true;
    if (nowMs - seenMs > JUMP_MS) {
      log.warn(
        { ahead_ms: nowMs - seenMs, held_until: isoFromMs(heldUntilMs) },
        "the clock is far ahead of when the server last looked at it: no telemetry is dropped for a day",
      );
    }
    return false;
  }

  /** The same without a look at the records: as it was found to be last, and no jump since. */
  seemsSteady(): boolean {
    if (this.#last?.steady !== true) return false;
    const expectedMs = this.#last.nowMs + performance.now() - this.#last.elapsedMs;
    return Math.abs(this.#options.clock.nowMs() - expectedMs) < DRIFT_MS_MAX;
  }
}

function heldUntilOf(row: { seen_at: number; drops_held_until: number | null }, nowMs: number): number | null {
  if (nowMs - row.seen_at > JUMP_MS) return nowMs + HOLD_MS;
  if (row.drops_held_until === null || nowMs >= row.drops_held_until) return null;
  // A clock that was set back again: what was held because of it need not be.
  return row.drops_held_until - nowMs > HOLD_MS ? null : row.drops_held_until;
}
