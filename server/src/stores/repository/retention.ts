/** How many backups to keep, by the periods of which they are the last ones. A backup that any word keeps is kept. */
export interface Retention {
  /** The newest ones. At least 1. */
  readonly latest: number;
  readonly hourly: number;
  readonly daily: number;
  readonly weekly: number;
  readonly monthly: number;
}

const DAY_MS = 86_400_000;

const PERIODS: Readonly<Record<Exclude<keyof Retention, "latest">, (atMs: number) => string>> = {
  hourly: (atMs) => new Date(atMs).toISOString().slice(0, 13),
  daily: (atMs) => new Date(atMs).toISOString().slice(0, 10),
  // 1 January 1970 was a Thursday.
  weekly: (atMs) => String(Math.floor((atMs / DAY_MS + 3) / 7)),
  monthly: (atMs) => new Date(atMs).toISOString().slice(0, 7),
};

export interface TimedBackup {
  readonly name: string;
  readonly startedMs: number;
}

/** Returns the names of the backups that no word keeps. */
export function spareBackups(backups: readonly TimedBackup[], retention: Retention): string[] {
  const newestFirst = backups.toSorted((a, b) => b.startedMs - a.startedMs);
  const kept = new Set(newestFirst.slice(0, Math.max(1, retention.latest)));
  for (const [word, periodOf] of Object.entries(PERIODS)) {
    const seen = new Set<string>();
    for (const backup of newestFirst) {
      const period = periodOf(backup.startedMs);
      if (seen.has(period)) continue;
      if (seen.size >= retention[word as keyof typeof PERIODS]) break;
      seen.add(period);
      kept.add(backup);
    }
  }
  return newestFirst.filter((backup) => !kept.has(backup)).map(({ name }) => name);
}
