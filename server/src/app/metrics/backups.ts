import type { Metrics } from "#kernel/metrics/index.ts";
import type { BackupRunner } from "../backup/index.ts";

/** Lets each scrape read the results of backups. Without a place for backups, there are no series. */
export function readBackups(metrics: Metrics, backups: Pick<BackupRunner, "results">): void {
  const read = (name: BackupMetric, valueOf: (results: Results) => number | null): void =>
    metrics.read(name, async () => {
      const results = await backups.results();
      return results === null ? null : valueOf(results);
    });
  read("mooring_backup_interval_seconds", ({ intervalS }) => intervalS);
  read("mooring_backup_last_success_timestamp_seconds", ({ lastSuccessMs }) => lastSuccessMs / 1000);
  read("mooring_backup_failed", ({ isFailed }) => (isFailed ? 1 : 0));
  read("mooring_backup_failures_total", ({ failures }) => failures);
  read("mooring_trial_restore_last_success_timestamp_seconds", ({ lastTrialMs }) => lastTrialMs / 1000);
}

type BackupMetric = Extract<Parameters<Metrics["read"]>[0], `mooring_backup_${string}` | `mooring_trial_${string}`>;
type Results = NonNullable<Awaited<ReturnType<BackupRunner["results"]>>>;
