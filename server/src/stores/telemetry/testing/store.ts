import { trustedClock } from "#kernel/testing.ts";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { systemClock, type Clock } from "#kernel/time.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import { openTestMetadata } from "#stores/metadata/testing.ts";
import { TELEMETRY_TYPES, type TelemetryType } from "../columns.ts";
import type { Batch, BatchKey } from "../types.ts";
import { openRows, type RowStore, type RowStoreOptions } from "../rows.ts";
import { TELEMETRY_DEFAULTS, type TelemetryLog, type TelemetrySettings } from "../settings.ts";
import { Schedule } from "#stores/jobs/index.ts";

/** Helpers for tests of the store: a store in a new directory, batches, and reading everything back. */

export interface LogLine {
  readonly level: "debug" | "info" | "warn" | "error";
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export function recordingLog(): TelemetryLog & { readonly lines: LogLine[] } {
  const lines: LogLine[] = [];
  const at = (level: LogLine["level"]) => (fields: object, message: string) => {
    lines.push({ level, message, fields: { ...fields } });
  };
  return { lines, debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

/** The default settings, but without a schedule and without reserved disk space. */
export function testSettings(change: Partial<TelemetrySettings> = {}): TelemetrySettings {
  const compaction = { ...TELEMETRY_DEFAULTS.compaction, checkEveryMs: 0, memoryBytes: 256 * 1024 * 1024 };
  const merge = { ...TELEMETRY_DEFAULTS.merge, checkEveryMs: 0, memoryBytes: 256 * 1024 * 1024 };
  const retention = { ...TELEMETRY_DEFAULTS.retention, checkEveryMs: 0, deleteAfterMs: 0 };
  return { ...TELEMETRY_DEFAULTS, diskFreeBytesMin: 0, replayMs: 0, compaction, merge, retention, ...change };
}

export async function temporaryDirectory(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), "mooring-telemetry-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

export interface OpenStore {
  readonly rows: RowStore;
  readonly metadata: MetadataStore;
  readonly close: () => Promise<void>;
}

export async function openTestStore(
  dataDir: string,
  change: Partial<Omit<RowStoreOptions, "clock">> & { readonly clock?: Clock } = {},
): Promise<OpenStore> {
  const clock = trustedClock(change.clock ?? systemClock);
  const metadata = await openTestMetadata({ url: undefined, dataDir, clock });
  try {
    const rows = await openRows({
      schedule: new Schedule(clock),
      dataDir,
      metadata,
      log: recordingLog(),
      settings: testSettings(),
      ...change,
      clock,
    });
    const close = async (): Promise<void> => {
      await rows.close();
      await metadata.close();
    };
    return { rows, metadata, close };
  } catch (error) {
    await metadata.close();
    throw error;
  }
}

/** Returns a batch of log rows with the given messages. */
export function logBatch(orgId: string, messages: readonly string[], key?: BatchKey): Batch {
  const lines = messages.map((message) =>
    JSON.stringify({ timestamp: "2026-11-20T08:00:00.000000Z", level: "info", message }),
  );
  const rows = Buffer.from(lines.map((line) => `${line}\n`).join(""));
  return { orgId, type: "logs", rows, count: messages.length, ...(key === undefined ? {} : { idempotency: key }) };
}

/** Returns every `message` of an organization's logs, from Parquet and hot files, in no order. */
export async function readMessages(rows: RowStore, orgId: string): Promise<string[]> {
  const snapshot = await rows.snapshot(orgId);
  try {
    const { parquet, hot } = snapshot.tables.logs;
    const texts = await Promise.all(hot.map(({ path }) => readFile(path, "utf8")));
    const lines = texts.flatMap((text) => text.split("\n").filter((line) => line !== ""));
    const messages = lines.map((line) => String((JSON.parse(line) as { message: unknown }).message));
    const compacted = await readParquet(parquet, "message");
    return [...messages, ...compacted.map((row) => String(row["message"]))];
  } finally {
    snapshot.release();
  }
}

export async function readParquet(
  files: readonly { readonly path: string }[],
  columns: string,
): Promise<Record<string, unknown>[]> {
  if (files.length === 0) return [];
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  try {
    const list = files.map(({ path }) => `'${path.replaceAll("'", "''")}'`).join(", ");
    const result = await connection.runAndReadAll(`SELECT ${columns} FROM read_parquet([${list}])`);
    return result.getRowObjectsJson();
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/** Returns the number of a snapshot's files of each kind, over all types. */
export async function fileCounts(rows: RowStore, orgId: string): Promise<{ parquet: number; hot: number }> {
  const snapshot = await rows.snapshot(orgId);
  snapshot.release();
  const of = (type: TelemetryType) => snapshot.tables[type];
  return {
    parquet: TELEMETRY_TYPES.reduce((sum, type) => sum + of(type).parquet.length, 0),
    hot: TELEMETRY_TYPES.reduce((sum, type) => sum + of(type).hot.length, 0),
  };
}
