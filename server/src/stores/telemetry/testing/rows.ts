import type { TelemetryType } from "../columns.ts";
import type { Batch } from "../types.ts";
import type { RowStore } from "../rows.ts";
import { readParquet } from "./store.ts";

/** Returns a batch of any rows. */
export function batchOf(type: TelemetryType, rows: readonly object[], orgId = "org_a"): Batch {
  const text = rows.map((row) => `${JSON.stringify(row)}\n`).join("");
  return { orgId, type, rows: Buffer.from(text), count: rows.length };
}

/** Reads `columns` of each Parquet file of a table, in the file's order. The files are in the order of their time. */
export async function readEach(
  rows: RowStore,
  type: TelemetryType,
  columns: string,
  orgId = "org_a",
): Promise<{ promoted: readonly string[]; rows: Record<string, unknown>[] }[]> {
  const { tables, release } = await rows.snapshot(orgId);
  try {
    const files = tables[type].parquet.toSorted((a, b) => a.minUs - b.minUs);
    const each = [];
    for (const file of files) each.push({ promoted: file.promoted, rows: await readParquet([file], columns) });
    return each;
  } finally {
    release();
  }
}
