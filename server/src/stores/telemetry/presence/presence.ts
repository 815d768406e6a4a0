import { Problem } from "#kernel/problem.ts";
import type { Schedule, ScheduledWork } from "#stores/jobs/index.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import type { TelemetryLog } from "../settings.ts";
import { addHolding, beat, leave, othersHolding, othersLive } from "./store.ts";

/** A directory counts as having no server after its server did not report for this long. */
export const TELEMETRY_LIVE_MS = 5_000;
const BEAT_MS = 1_500;
/** The age of a result that repeated checks may reuse, for example those of a live tail. */
const RECENT_MS = 1_000;
const RETRY_AFTER = { retryAfterS: 30 };

export interface PresenceOptions {
  readonly metadata: MetadataStore;
  /** The directory's identifier, see `store-id.ts`. */
  readonly storeId: string;
  readonly log: TelemetryLog;
  readonly schedule: Schedule;
}

/**
 * Lets servers that share a metadata database know of each other. Each server reads only its own directory.
 * When several servers run, or a directory with rows has no server, one server's answer could be incomplete without any sign
 * of it. Queries are then refused.
 */
export class Presence {
  readonly #options: PresenceOptions;
  readonly #announced = new Set<string>();
  readonly #recent = new Map<string, { readonly atMs: number; readonly result: Promise<void> }>();
  #beating: ScheduledWork | undefined;
  #isFailing = false;

  constructor(options: PresenceOptions) {
    this.#options = options;
  }

  /** @param held organizations that have rows in the directory */
  async start(held: readonly string[]): Promise<void> {
    const { metadata, storeId } = this.#options;
    await metadata.write(async (tx) => {
      await beat(tx, metadata.dialect, storeId);
      await addHolding(tx, storeId, held);
    });
    for (const orgId of held) this.#announced.add(orgId);
    this.#beating = this.#options.schedule.add("telemetry presence", {
      everyMs: BEAT_MS,
      run: () => this.#beat(),
      failed: (error) => this.#failed(error),
    });
  }

  async stop(): Promise<void> {
    const { metadata, storeId } = this.#options;
    await this.#beating?.stop();
    await metadata.write((tx) => leave(tx, storeId));
  }

  /** Tells the other servers about the rows of an organization, before the first one is acknowledged. */
  async announce(orgId: string): Promise<void> {
    if (this.#announced.has(orgId)) return;
    const { metadata, storeId } = this.#options;
    await metadata.write((tx) => addHolding(tx, storeId, [orgId]));
    this.#announced.add(orgId);
  }

  /** @throws Problem `telemetry_incomplete` when this server can't read every row of the organization */
  async requireWhole(orgId: string): Promise<void> {
    const { metadata, storeId } = this.#options;
    const live = await othersLive(metadata.read, metadata.dialect, { storeId, liveMs: TELEMETRY_LIVE_MS });
    if (live.length > 0) throw several(live.length + 1);
    const [missing] = await othersHolding(metadata.read, storeId, orgId);
    if (missing !== undefined) throw directoryWithoutServer(missing);
  }

  /** Does the same check, but may reuse a result that is at most one second old. */
  async requireWholeLately(orgId: string): Promise<void> {
    const nowMs = performance.now();
    const known = this.#recent.get(orgId);
    if (known !== undefined && nowMs - known.atMs < RECENT_MS) return known.result;
    for (const [id, { atMs }] of this.#recent) if (nowMs - atMs >= RECENT_MS) this.#recent.delete(id);
    const result = this.requireWhole(orgId);
    this.#recent.set(orgId, { atMs: nowMs, result });
    return result;
  }

  async #beat(): Promise<void> {
    const { metadata, storeId } = this.#options;
    await metadata.write((tx) => beat(tx, metadata.dialect, storeId));
    this.#isFailing = false;
  }

  #failed(error: unknown): void {
    // Logs each outage only once.
    if (!this.#isFailing)
      this.#options.log.warn({ err: error }, "cannot report to the other servers that this one runs");
    this.#isFailing = true;
  }
}

function several(count: number): Problem {
  return new Problem(
    "telemetry_incomplete",
    `${count} servers share this database, and each can read only the telemetry that it accepted itself, so this answer would be incomplete. ` +
      "Run only one server, or ask the operator to. Entries that are sent meanwhile are stored.",
    RETRY_AFTER,
  );
}

function directoryWithoutServer(storeId: string): Problem {
  return new Problem(
    "telemetry_incomplete",
    `The directory ${storeId} has telemetry of this organization, but its server does not run, so this answer would be incomplete. ` +
      "Start only that server, or ask the operator to. `mooring nodes give-up` makes queries ignore its rows.",
    RETRY_AFTER,
  );
}
