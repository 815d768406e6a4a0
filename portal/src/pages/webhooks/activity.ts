/** How many hours the sparkline shows. */
export const HOURS = 24;

/** Events by webhook and hour; the time that it covers stands beside the statement in the request. */
export const ACTIVITY_SQL = `SELECT webhook_id, CAST(floor(epoch(timestamp) / 3600) AS BIGINT) AS hour, count(*) AS events, max(timestamp) AS newest
FROM webhook_events GROUP BY webhook_id, hour`;

/** The beginning of the first of the hours that end with the present one. */
export function firstHour(now: Date): Date {
  const hour = Math.floor(now.getTime() / 3_600_000);
  return new Date((hour - HOURS + 1) * 3_600_000);
}

export interface Activity {
  readonly events: number;
  /** By the hour, oldest first. */
  readonly byHour: readonly number[];
  readonly newest: string | null;
}

export const NO_ACTIVITY: Activity = { events: 0, byHour: Array<number>(HOURS).fill(0), newest: null };

/** The events of each webhook, from the rows of `ACTIVITY_SQL`. */
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

/** SQL times may have microseconds and a space; null for other values. */
function isoOf(value: unknown): string | null {
  const at = new Date(String(value));
  return Number.isNaN(at.getTime()) ? null : at.toISOString();
}
