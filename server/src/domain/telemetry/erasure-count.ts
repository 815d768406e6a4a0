import { Problem } from "#kernel/problem.ts";
import type { Clock } from "#kernel/time.ts";
import {
  isSpoolTable,
  predicateSql,
  SPOOL_TABLES,
  type ErasedTable,
  type QueryActor,
  type QueryRequest,
  type QueryRun,
  type TelemetryStore,
  type VisibleRows,
} from "#stores/telemetry/index.ts";
import type { ErasureInput } from "./erasures.ts";

export interface CountDeps {
  readonly store: Pick<TelemetryStore, "query">;
  readonly clock: Clock;
}

/** Who counts, and what they may see. */
export interface Counting {
  readonly orgId: string;
  readonly actor: QueryActor;
  readonly requestId: string | null;
  readonly signal: AbortSignal;
  readonly visible: (type: ErasedTable) => Promise<VisibleRows>;
}

export interface CountedRows {
  readonly type: ErasedTable;
  readonly rows: number;
  readonly oldest: string | null;
  readonly newest: string | null;
  readonly files: number;
}

export interface Counted {
  /** The input with its condition as the gate has rendered it. */
  readonly input: ErasureInput;
  readonly types: readonly CountedRows[];
  readonly rows: number;
  /** False: the erasure also removes rows that the caller may not see, and that are not counted. */
  readonly isComplete: boolean;
}

const TIMEOUT_MS = 120_000;
const MEMORY_BYTES_MAX = 512 * 1024 * 1024;
const GROWTH = 0.01;

/**
 * Counts the rows that an erasure would remove and that the caller may see. The condition is also tried on all other
 * rows, so that an error in it is known before anything is erased.
 * @throws Problem as a query does
 */
export async function countErasure(deps: CountDeps, of: Counting, input: ErasureInput): Promise<Counted> {
  const checked = await checkedInput(deps, of, input);
  const types: CountedRows[] = [];
  let isComplete = true;
  for (const type of checked.types) {
    const visible = await of.visible(type);
    types.push(await countRows(deps, of, { type, input: checked, visible }));
    if (visible === "all") continue;
    isComplete = false;
    await countRows(deps, of, { type, input: checked, visible: "all" }).catch(withoutValues);
  }
  return { input: checked, types, rows: types.reduce((sum, { rows }) => sum + rows, 0), isComplete };
}

/**
 * Requires that about as many rows match as the caller has seen.
 * @throws Problem `more_rows_match`
 */
export function requireExpected({ rows }: Counted, expected: number): void {
  if (rows <= expected * (1 + GROWTH)) return;
  throw new Problem(
    "more_rows_match",
    `${rows} rows match, and ${expected} were expected. Nothing is erased. To erase them, send the new number as rows_expected.`,
  );
}

/** Lets the gate check and render the condition. Other input is returned as it is. */
async function checkedInput(deps: CountDeps, of: Counting, input: ErasureInput): Promise<ErasureInput> {
  const { where } = input.match;
  const [table] = input.types;
  if (where === undefined || table === undefined) return input;
  const condition = { table, nowMs: deps.clock.nowMs() };
  const run = await askCount(deps, of, { sql: where, describe: true, condition, visible: "all" }).catch(atCondition);
  const described = (await read(run)) as { condition?: string };
  if (described.condition === undefined) throw new Error("the query process did not render the condition");
  return { ...input, match: { where: described.condition } };
}

async function countRows(
  deps: CountDeps,
  of: Counting,
  { type, input, visible }: { type: ErasedTable; input: ErasureInput; visible: VisibleRows },
): Promise<CountedRows> {
  const range = { fromUs: input.fromUs ?? undefined, toUs: input.toUs ?? undefined };
  const conditions = [predicateSql(type, input), ...stillPersonal(type)].join(" AND ");
  const sql = `SELECT count(*) AS counted, min("timestamp") AS oldest, max("timestamp") AS newest FROM ${type} WHERE ${conditions}`;
  const run = await askCount(deps, of, { sql, visible, range });
  const rows = (await readCount(run)) as { counted: number; oldest: string | null; newest: string | null }[];
  const { counted, oldest, newest } = rows[0] ?? { counted: 0, oldest: null, newest: null };
  return { type, rows: counted, oldest, newest, files: (await run.statistics)?.filesScanned ?? 0 };
}

/** Rows of the server's own tables stay, so only those with something to remove count. */
function stillPersonal(type: ErasedTable): string[] {
  if (type === "webhook_events" || !isSpoolTable(type)) return [];
  return [`(${SPOOL_TABLES[type].personal.map((name) => `"${name}" IS NOT NULL`).join(" OR ")})`];
}

export function askCount(
  { store }: CountDeps,
  { orgId, actor, requestId, signal }: Counting,
  statement: Pick<QueryRequest, "sql" | "visible" | "describe" | "condition" | "range">,
): Promise<QueryRun> {
  return store.query({
    ...statement,
    orgId,
    origin: { actor, surface: "erasure", requestId },
    parameters: [],
    format: "json",
    records: () => undefined, // `Counting.visible` has required the permission
    seesAllQueries: true,
    timeoutMs: TIMEOUT_MS,
    memoryBytesMax: MEMORY_BYTES_MAX,
    rowsMax: 1,
    truncate: true,
    signal,
  });
}

/** Returns the rows of a result. */
export async function readCount(run: QueryRun): Promise<unknown[]> {
  return ((await read(run)) as { rows: unknown[] }).rows;
}

async function read({ body }: QueryRun): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of body as AsyncIterable<Buffer>) chunks.push(chunk);
  const result = JSON.parse(Buffer.concat(chunks).toString()) as { error?: { code: string; detail: string } };
  if (result.error !== undefined) throw new Problem("query_failed", result.error.detail);
  return result;
}

/** Points at the condition. */
function atCondition(error: unknown): never {
  if (!(error instanceof Problem) || (error.code !== "invalid_sql" && error.code !== "sql_not_allowed")) throw error;
  throw new Problem(error.code, error.message, { errors: [{ pointer: "/where", detail: error.message }] });
}

/** An error about a row that the caller may not see must not show its values. */
function withoutValues(error: unknown): never {
  if (!(error instanceof Problem) || error.code !== "query_failed") throw error;
  const detail = "the condition fails on a row that you may not see, for example in a cast; use try_cast";
  throw new Problem("query_failed", detail);
}
