/** A statement that was run in this browser. */
export interface PastRun {
  readonly sql: string;
  readonly at: string;
  readonly rows: number | null;
  readonly elapsedMs: number | null;
  readonly starred: boolean;
}

/** The limit for statements without a star; older ones are removed. */
export const HISTORY_MAX = 200;

type Store = Pick<Storage, "getItem" | "setItem">;

const keyOf = (whose: string): string => `mooring.sql-history.${whose}`;

/**
 * Reads the statements of one person in one organization, latest first. Each person at this browser has a separate
 * history. An unreadable history counts as empty.
 */
export function readHistory(store: Store, whose: string): PastRun[] {
  try {
    const runs: unknown = JSON.parse(store.getItem(keyOf(whose)) ?? "[]");
    return Array.isArray(runs) ? runs.filter(isRun) : [];
  } catch {
    return [];
  }
}

export function writeHistory(store: Store, whose: string, runs: readonly PastRun[]): void {
  try {
    store.setItem(keyOf(whose), JSON.stringify(runs));
  } catch {
    // The browser's storage is full or blocked. The history is not important enough for an error.
  }
}

/** Adds a run. The same statement is listed once, and keeps its star. */
export function withRun(runs: readonly PastRun[], run: Omit<PastRun, "starred">): PastRun[] {
  const before = runs.find(({ sql }) => sql === run.sql);
  const all = [{ ...run, starred: before?.starred ?? false }, ...runs.filter(({ sql }) => sql !== run.sql)];
  let plain = 0;
  return all.filter(({ starred }) => starred || ++plain <= HISTORY_MAX);
}

export function withStar(runs: readonly PastRun[], sql: string): PastRun[] {
  return runs.map((run) => (run.sql === sql ? { ...run, starred: !run.starred } : run));
}

function isRun(value: unknown): value is PastRun {
  return (
    typeof value === "object" && value !== null && "sql" in value && typeof value.sql === "string" && "at" in value
  );
}
