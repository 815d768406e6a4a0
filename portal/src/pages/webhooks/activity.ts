/** The number of hours in the sparkline. */
export const HOURS = 24;

/** Counts events by webhook and hour. The request has the time range. */
export const ACTIVITY_SQL = `SELECT webhook_id, CAST(floor(epoch(timestamp) / 3600) AS BIGINT) AS hour, count(*) AS events, max(timestamp) AS newest
FROM webhook_events GROUP BY webhook_id, hour`;

/** Returns the start of the first hour. The last hour is the current one. */
export function firstHour(now: Date): Date {
  const hour = Math.floor(now.getTime() / 3_600_000);
  return new Date((hour - HOURS + 1) * 3_600_000);
}

export interface Activity {
  readonly events: number;
  /** Events per hour, oldest first. */
  readonly byHour: readonly number[];
  readonly newest: string | null;
}

export const NO_ACTIVITY: Activity = { events: 0, byHour: Array<number>(HOURS).fill(0), newest: null };

/** Returns the events of each webhook from the rows of `ACTIVITY_SQL`. */
export function activityOf(
  rows: readonly Readonly<Record<string, unknown>>[],
  from: Date,
): ReadonlyMap<string, Activity> {
  const first = Math.floor(from.getTime() / 3_600_000);
  const found = new Map<string, Activity>();
  for (const row of rows) {
    const id = String(row["webhook_id"]);
    const before = found.get(id) ?? NO_ACTIVITY;
    const events = Number(row["events"]);
    const at = Number(row["hour"]) - first;
    const newest = isoOf(row["newest"]);
    found.set(id, {
      events: before.events + events,
      byHour: before.byHour.map((count, index) => (index === at ? count + events : count)),
      newest: newest !== null && (before.newest === null || newest > before.newest) ? newest : before.newest,
    });
  }
  return found;
}

/** Converts a SQL time, which may have microseconds and a space. Null for other values. */
function isoOf(value: unknown): string | null {
  const at = new Date(String(value));
  return Number.isNaN(at.getTime()) ? null : at.toISOString();
}
