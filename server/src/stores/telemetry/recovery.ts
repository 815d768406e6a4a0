import { constants } from "node:os";
import type { GuardedClock } from "#kernel/deletions.ts";
import type { Metrics } from "#kernel/metrics/index.ts";
import type { Schedule } from "#stores/jobs/index.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import { Compactor } from "./compaction/compactor.ts";
import { CompactionProcess } from "./compaction/process.ts";
import type { CompactionRunner } from "./compaction/protocol.ts";
import { AskedAttributes } from "./compaction/asked.ts";
import { ParquetFiles } from "./compaction/files.ts";
import { Merger } from "./compaction/merger.ts";
import { Feed, Watchers } from "./feed/feed.ts";
import { Tables } from "./hot/tables.ts";
import { Keys } from "./keys.ts";
import type { Layout } from "./layout.ts";
import type { FrameMeta } from "./log/frame.ts";
import { WriteAheadLog } from "./log/log.ts";
import { recoverLog } from "./log/recover.ts";
import { createSegmentFile, type CreateSegmentFile } from "./log/segment.ts";
import { Manifest } from "./manifest.ts";
import { openLifecycle, type EraseRecords, type Lifecycle } from "./retention/index.ts";
import type { TelemetryLog, TelemetrySettings } from "./settings.ts";
import { prepareFolders, restoreTables } from "./startup.ts";
import { readStoreId } from "./store-id.ts";
import { sweepParquet } from "./sweep.ts";

export interface RowStoreOptions {
  readonly dataDir: string;
  readonly metadata: MetadataStore;
  readonly clock: GuardedClock;
  readonly log: TelemetryLog;
  readonly settings: TelemetrySettings;
  readonly schedule: Schedule;
  /** Writes Parquet files. Default: in a separate process. */
  readonly runner?: CompactionRunner;
  /** Merges Parquet files. Default: in a second process. */
  readonly mergeRunner?: CompactionRunner;
  /** Rewrites Parquet files without erased rows. Default: in a third process. */
  readonly eraseRunner?: CompactionRunner;
  /** Creates a segment of the log. Tests pass one with a failing disk. */
  readonly createSegment?: CreateSegmentFile;
  /** Waits during an append while compaction is behind. Tests record the time. */
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly kept?: () => Promise<ReadonlySet<string>>;
  readonly metrics?: Metrics;
  /** Called before an erasure, so that rows that wait elsewhere are stored first. */
  readonly beforeSettle?: () => Promise<void>;
  /** Erases rows of records. Without it such an erasure fails. */
  readonly eraseRecords?: EraseRecords;
}

/** The parts of the store, after everything on disk was read. */
export interface Parts {
  readonly options: RowStoreOptions;
  readonly tables: Tables;
  readonly keys: Keys;
  readonly storeId: string;
  readonly manifest: Manifest;
  readonly wal: WriteAheadLog;
  readonly feed: Feed;
  readonly runners: readonly CompactionRunner[];
  readonly eraseRunner: CompactionRunner;
  readonly asked: AskedAttributes;
  readonly files: ParquetFiles;
  readonly compactor: Compactor;
  readonly merger: Merger;
  readonly lifecycle: Lifecycle;
  readonly unlock: () => void;
  /** The groups of the spool that the log had at the start, see `spooledName`. */
  readonly spooled: ReadonlySet<string>;
}

const PROCESS_IDLE_MS = 10_000;
export async function recover(options: RowStoreOptions, layout: Layout, unlock: () => void): Promise<Parts> {
  const { settings, clock, log, metadata } = options;
  const storeId = await readStoreId(layout, clock);
  await prepareFolders(layout);
  const manifest = new Manifest(metadata, storeId);
  const tables = new Tables({
    hotDir: layout.hot,
    hotFileBytes: settings.hotFileBytes,
    hotMemoryBytes: settings.hotMemoryBytes,
    log,
  });
  const keys = new Keys({ clock, find: (orgId, type, keyHash) => manifest.findKey(orgId, type, keyHash) });
  const compactedSeq = await restoreTables(layout, manifest, tables);
  const watchers = new Watchers(log);
  const spooled = new Set<string>();
  const restored = (seq: number, meta: FrameMeta, rows: Buffer): void => {
    tables.add(seq, meta, rows);
    keys.remember(seq, meta);
  };
  const recovered = await recoverLog({
    dir: layout.wal,
    asideDir: layout.quarantine,
    log,
    batch: ({ seq, meta, rows }) => {
      restored(seq, meta, rows);
      if (meta.piece !== undefined) spooled.add(spooledName(meta.piece, meta));
    },
    // Rows that can't be written now stay in memory, and the write is retried. A full disk must not prevent a start.
    pause: () => tables.written().catch(() => {}),
  });
  const [oldest] = recovered.segments;
  const logged = oldest === undefined ? undefined : { firstSeq: oldest.firstSeq, lastSeq: recovered.lastSeq };
  const sweptSeq = await sweepParquet({ layout, manifest, tables, logged, log });
  const nextSeq = Math.max(compactedSeq, recovered.lastSeq, sweptSeq) + 1;
  const seconds = options.metrics?.histogram("mooring_fsync_duration_seconds");
  const wal = new WriteAheadLog({
    dir: layout.wal,
    segmentBytes: settings.segmentBytes,
    diskFreeBytesMin: settings.diskFreeBytesMin,
    create: options.createSegment ?? createSegmentFile,
    log,
    flushed: (taken) => seconds?.observe(taken, { store: "telemetry" }),
    segments: recovered.segments,
    nextSeq,
    committed: (seq, meta, rows) => {
      restored(seq, meta, rows);
      watchers.taken(seq, meta, rows);
    },
  });
  const feed = new Feed({ storeId, wal, tables, watchers });
  const made = writers(options, layout, tables, manifest);
  const { files, eraseRunner: runner } = made;
  const retention = { layout, tables, files, runner, settings: settings.retention, kept: options.kept };
  const eraseRecords = options.eraseRecords ?? noRecords;
  const lifecycle = await openLifecycle({
    ...retention,
    metadata,
    storeId,
    clock,
    log,
    schedule: options.schedule,
    eraseRecords,
  });
  return { options, storeId, tables, keys, manifest, wal, feed, lifecycle, unlock, spooled, ...made };
}

const noRecords: EraseRecords = () => Promise.reject(new Error("this store has no records"));

/** Creates the processes that write Parquet: one for hot rows, one for small files. */
function writers(
  options: RowStoreOptions,
  layout: Layout,
  tables: Tables,
  manifest: Manifest,
): Pick<Parts, "runners" | "eraseRunner" | "asked" | "files" | "compactor" | "merger"> {
  const { settings, clock, log } = options;
  const ofProcess = { workDir: layout.work, idleMs: PROCESS_IDLE_MS };
  const runner = options.runner ?? new CompactionProcess({ ...settings.compaction, ...ofProcess });
  const niceness = constants.priority.PRIORITY_LOW;
  const mergeRunner = options.mergeRunner ?? new CompactionProcess({ ...settings.merge, ...ofProcess, niceness });
  const eraseRunner = options.eraseRunner ?? new CompactionProcess({ ...settings.merge, ...ofProcess, niceness });
  const asked = new AskedAttributes(clock);
  const files = new ParquetFiles({ layout, tables, manifest, clock, log });
  const compactor = new Compactor({ layout, tables, files, asked, runner, settings, log });
  const merger = new Merger({ layout, files, asked, runner: mergeRunner, settings, log });
  return { runners: [runner, mergeRunner, eraseRunner], eraseRunner, asked, files, compactor, merger };
}

/** Names the rows of one table of an organization in a piece of the spool. */
export function spooledName(piece: string, { orgId, type }: Pick<FrameMeta, "orgId" | "type">): string {
  return `${piece}/${orgId}/${type}`;
}
