import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { newId } from "#kernel/ids.ts";
import type { MetadataStore, Tables } from "#stores/metadata/index.ts";
import type { TelemetryType } from "../columns.ts";
import type { Batch } from "../types.ts";
import type { ErasureMatch } from "../retention/index.ts";
import { readParquet } from "./store.ts";

/** Helpers for tests of retention and erasure. */

export const DAY_MS = 86_400_000;

/** Returns a batch of rows with these members; `timestamp` is the day's noon by default. */
export function rowsOf(orgId: string, type: TelemetryType, rows: readonly Readonly<Record<string, unknown>>[]): Batch {
  const lines = rows.map((row) => JSON.stringify({ timestamp: "2026-11-20T12:00:00.000000Z", ...row }));
  return { orgId, type, count: rows.length, rows: Buffer.from(lines.map((line) => `${line}\n`).join("")) };
}

type Policy = Omit<Tables["telemetry_policy"], "org_id" | "revision" | "updated_at">;

export async function setPolicy(metadata: MetadataStore, orgId: string, change: Partial<Policy>): Promise<void> {
  await metadata.write(async (tx) => {
    const last = await tx
      .selectFrom("telemetry_policy")
      .select(({ fn }) => fn.max("revision").as("revision"))
      .executeTakeFirst();
    const none: Policy = {
      retention_days_logs: null,
      retention_days_metrics: null,
      retention_days_traces: null,
      retention_days_access_log: null,
      retention_rules: null,
      retention_before: null,
      access_log_mode: null,
      access_log_sample: null,
      retention_days_query_log: null,
      query_log_mode: null,
      stored_bytes_max: null,
      ingest_bytes_per_second: null,
      ingest_bytes_burst: null,
      timestamp_behind_days: null,
      timestamp_ahead_seconds: null,
    };
    const columns = { ...none, ...change, revision: (last?.revision ?? 0) + 1, updated_at: 1 };
    await tx
      .insertInto("telemetry_policy")
      .values({ org_id: orgId, ...columns })
      .onConflict((conflict) => conflict.column("org_id").doUpdateSet(columns))
      .execute();
  });
}

/** Requests an erasure as the API does, for every directory that the database knows. */
export async function requestErasure(
  metadata: MetadataStore,
  orgId: string,
  types: readonly TelemetryType[],
  match: ErasureMatch,
  more: { readonly fromUs?: number; readonly toUs?: number; readonly digest?: string } = {},
): Promise<string> {
  const id = newId("era", 1);
  await metadata.write(async (tx) => {
    const row = {
      id,
      org_id: orgId,
      types: JSON.stringify(types),
      match: JSON.stringify(match),
      match_digest: more.digest ?? "",
    };
    const times = { from_us: more.fromUs ?? null, to_us: more.toUs ?? null, created_at: 1, finished_at: null };
    await tx
      .insertInto("telemetry_erasure")
      .values({ ...row, ...times, created_by: "user_1" })
      .execute();
    for (const { id: storeId } of await tx.selectFrom("telemetry_store").select("id").execute()) {
      const part = { erasure_id: id, store_id: storeId, state: "pending", rows_erased: 0, files_rewritten: 0 } as const;
      await tx
        .insertInto("telemetry_erasure_part")
        .values({ ...part, quarantined: "[]", detail: null, finished_at: null })
        .execute();
    }
  });
  return id;
}

export async function erasureParts(metadata: MetadataStore, id: string): Promise<Tables["telemetry_erasure_part"][]> {
  return metadata.read.selectFrom("telemetry_erasure_part").selectAll().where("erasure_id", "=", id).execute();
}

/** Returns the bytes of all files below a directory. */
export async function bytesBelow(dir: string): Promise<number> {
  const paths = await filesBelow(dir);
  const sizes = await Promise.all(paths.map(async (path) => (await stat(path)).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

export async function filesBelow(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

/** Returns the files below a directory that contain a text: as bytes, or in the columns of Parquet, which are compressed. */
export async function filesWith(dir: string, text: string): Promise<string[]> {
  const found: string[] = [];
  for (const path of await filesBelow(dir)) {
    if ((await readFile(path)).includes(text) || (path.endsWith(".parquet") && (await parquetHas(path, text))))
      found.push(path);
  }
  return found;
}

async function parquetHas(path: string, text: string): Promise<boolean> {
  return JSON.stringify(await readParquet([{ path }], "*")).includes(text);
}
