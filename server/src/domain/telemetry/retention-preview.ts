import {
  TELEMETRY_TYPES,
  type RetentionChoice,
  type TelemetryStore,
  type TelemetryType,
} from "#stores/telemetry/index.ts";
import { askCount, readCount, type CountDeps, type Counting } from "./erasure-count.ts";

interface PastRows {
  readonly type: TelemetryType;
  /** Rows that queries show now. */
  readonly rows: number;
  readonly rowsPast: number;
  /** Their part of the stored bytes, by their number. */
  readonly bytesPast: number;
  readonly oldest: string | null;
}

/**
 * Counts the rows that the caller may see and that a choice of retention would not keep. `isComplete`: the caller may see
 * all rows.
 * @throws Problem as a query does
 */
export async function countPast(
  deps: CountDeps & { readonly store: Pick<TelemetryStore, "pastSql" | "usage"> },
  of: Counting,
  choice: RetentionChoice,
): Promise<{ readonly types: readonly PastRows[]; readonly isComplete: boolean }> {
  const types: PastRows[] = [];
  let isComplete = true;
  for (const type of TELEMETRY_TYPES) {
    const visible = await of.visible(type);
    isComplete &&= visible === "all";
    const past = deps.store.pastSql(type, choice);
    const sql = `SELECT count(*) AS total, count(*) FILTER (WHERE ${past}) AS past, min("timestamp") FILTER (WHERE ${past}) AS oldest FROM ${type}`;
    const [row] = (await readCount(await askCount(deps, of, { sql, visible }))) as [
      { total: number; past: number; oldest: string | null },
    ];
    const { bytes } = deps.store.usage(of.orgId)[type];
    const share = row.total === 0 ? 0 : row.past / row.total;
    types.push({ type, rows: row.total, rowsPast: row.past, bytesPast: Math.round(bytes * share), oldest: row.oldest });
  }
  return { types, isComplete };
}
