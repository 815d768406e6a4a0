import { mkdir, statfs } from "node:fs/promises";
import { join } from "node:path";
import type { FastifyBaseLogger } from "fastify";
import type { Metrics, STORES } from "#kernel/metrics/index.ts";
import { HEALTH_REASONS, healthReasonOf, type StoreHealth } from "#kernel/store-health.ts";
import { probeWrite } from "#stores/directory/index.ts";
import type { Schedule, ScheduledWork } from "#stores/jobs/index.ts";
import { probeRecords, type MetadataStore } from "#stores/metadata/index.ts";
import type { ObjectStore } from "#stores/objects/index.ts";
import type { TelemetryStore } from "#stores/telemetry/index.ts";
import { isBucketPlace } from "./backup/index.ts";
import type { Config } from "./config.ts";

type StoreName = (typeof STORES)[number];

/** A store, and how to see whether it takes writes. */
interface ProbedStore {
  readonly name: StoreName;
  /** Null: its data is not on a disk of this machine. */
  readonly directory: string | null;
  /** Writes something small. Rejects with the reason if the store takes no writes. */
  probe(): Promise<void>;
  /** The state that the store knows itself, for example from a write after the last probe. */
  health?(): StoreHealth;
}

interface ProbedParts {
  readonly metadata: Pick<MetadataStore, "dialect" | "ping" | "write">;
  readonly telemetry: Pick<TelemetryStore, "health" | "probe">;
  readonly objects: Pick<ObjectStore, "health" | "probe">;
  readonly metrics: Metrics;
}

interface Probed {
  readonly store: ProbedStore;
  health: StoreHealth;
  /** When the probe under way began, by the monotonic clock. Null: none is under way. */
  beganMs: number | null;
}

const PROBE_EVERY_MS = 10_000;
/** A store that failed is tested more often, so that its end shows soon. */
const FAILED_EVERY_MS = 2_000;
/** A probe under way for longer counts as a failure. A hanging file system never answers. */
const PROBE_MS_MAX = 10_000;
const HEALTHY: StoreHealth = { ok: true, detail: "ready", reason: null };
const HANGS: StoreHealth = { ok: false, detail: "the store does not answer", reason: "not_answering" };

/** Writes to each store regularly, so that a full, read-only or hanging store shows before somebody needs it. */
export class StoreProbes {
  readonly #probed: readonly Probed[];
  readonly #log: Pick<FastifyBaseLogger, "info" | "warn">;
  readonly #work: ScheduledWork;

  constructor(
    stores: readonly ProbedStore[],
    { metrics, log, schedule }: { metrics: Metrics; log: Pick<FastifyBaseLogger, "info" | "warn">; schedule: Schedule },
  ) {
    this.#probed = stores.map((store) => ({ store, health: HEALTHY, beganMs: null }));
    this.#log = log;
    this.#work = schedule.add("store probes", {
      everyMs: PROBE_EVERY_MS,
      run: async () => this.#begin(),
      failed: () => {}, // each failure is in the state of its store
    });
    this.#work.ask(0);
    metrics.read("mooring_store_writable", () =>
      stores.map(({ name }) => [{ store: name }, this.health(name).ok ? 1 : 0] as const),
    );
    metrics.read("mooring_store_failed", () =>
      stores.flatMap(({ name }) => {
        const { reason: present } = this.health(name);
        return HEALTH_REASONS.map((reason) => [{ store: name, reason }, reason === present ? 1 : 0] as const);
      }),
    );
    for (const { name, directory } of stores) if (directory !== null) readDisk(metrics, name, directory);
  }

  /** Returns the state of a store, at most some seconds old. Stores that are not probed are healthy. */
  health(name: StoreName): StoreHealth {
    const probed = this.#probed.find(({ store }) => store.name === name);
    if (probed === undefined) return HEALTHY;
    const { beganMs, health, store } = probed;
    if (beganMs !== null && performance.now() - beganMs > PROBE_MS_MAX) return HANGS;
    return health.ok ? (store.health?.() ?? health) : health;
  }

  async stop(): Promise<void> {
    await this.#work.stop();
  }

  /** Does not wait for the probes, so that a store that hangs delays no other. */
  #begin(): void {
    for (const probed of this.#probed) if (probed.beganMs === null) void this.#probe(probed);
  }

  async #probe(probed: Probed): Promise<void> {
    const { store, health: before } = probed;
    probed.beganMs = performance.now();
    probed.health = await store.probe().then(
      () => HEALTHY,
      (error: unknown) => failureOf(store, error),
    );
    probed.beganMs = null;
    if (!probed.health.ok) this.#work.ask(FAILED_EVERY_MS);
    if (probed.health.ok === before.ok) return;
    const { ok, detail, reason } = probed.health;
    if (ok) this.#log.info({ store: store.name }, "a store takes writes again");
    else this.#log.warn({ store: store.name, reason, detail }, "a store does not take writes");
  }
}

/** A store that keeps its own state knows the reason best. */
function failureOf(store: ProbedStore, error: unknown): StoreHealth {
  const known = store.health?.();
  if (known !== undefined && !known.ok) return known;
  return { ok: false, detail: (error as Error).message, reason: healthReasonOf(error) };
}

function readDisk(metrics: Metrics, store: StoreName, directory: string): void {
  metrics.read("mooring_disk_free_bytes", async () => {
    const { bavail, bsize } = await statfs(directory);
    return [[{ store }, bavail * bsize] as const];
  });
  metrics.read("mooring_disk_size_bytes", async () => {
    const { blocks, bsize } = await statfs(directory);
    return [[{ store }, blocks * bsize] as const];
  });
  metrics.read("mooring_disk_inodes_free", async () => {
    const { files, ffree } = await statfs(directory);
    // Some file systems have no fixed number of them.
    return files === 0 ? null : [[{ store }, ffree] as const];
  });
}

/** Lists the stores of a server. */
export function probedStores(
  config: Pick<Config, "backup_dir" | "data_dir" | "objects_s3_bucket">,
  { metadata, telemetry, objects, metrics }: ProbedParts,
): ProbedStore[] {
  const { data_dir: dataDir, backup_dir: backups, objects_s3_bucket: bucket } = config;
  const seconds = metrics.histogram("mooring_records_duration_seconds");
  const flushes = metrics.histogram("mooring_fsync_duration_seconds");
  const timed = async (kind: "read" | "write", work: () => Promise<void>): Promise<void> => {
    const beganMs = performance.now();
    await work();
    seconds.observe((performance.now() - beganMs) / 1000, { kind });
  };
  const isLocal = metadata.dialect === "sqlite";
  return [
    {
      name: "records",
      directory: isLocal ? dataDir : null,
      probe: async () => {
        if (isLocal) flushes.observe(await probeWrite(dataDir), { store: "records" });
        await timed("read", () => metadata.ping());
        await timed("write", () => probeRecords(metadata));
      },
    },
    {
      name: "telemetry",
      directory: join(dataDir, "telemetry"),
      probe: () => telemetry.probe(),
      health: () => telemetry.health(),
    },
    {
      name: "objects",
      directory: bucket === null ? join(dataDir, "objects") : null,
      probe: () => objects.probe(),
      health: () => objects.health(),
    },
    // A bucket is not probed: its owner pays for each request, and a failed backup has its own alert.
    ...(backups === null || isBucketPlace(backups) ? [] : [backupStore(backups)]),
  ];
}

function backupStore(directory: string): ProbedStore {
  const probe = async (): Promise<void> => {
    // As the first backup does.
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await probeWrite(directory);
  };
  return { name: "backups", directory, probe };
}
