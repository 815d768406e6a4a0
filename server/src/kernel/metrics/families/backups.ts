import type { Family } from "../family.ts";

export const BACKUPS = {
  mooring_backup_interval_seconds: {
    type: "gauge",
    help: "Time between the server's own backups; absent without a place for backups or a schedule",
  },
  mooring_backup_last_success_timestamp_seconds: {
    type: "gauge",
    help: "Start of the last backup that succeeded; 0 if there is none, absent without a place for backups",
    alerts: [
      {
        name: "MooringBackupOld",
        group: "storage",
        expression:
          "time() - mooring_backup_last_success_timestamp_seconds > 2 * mooring_backup_interval_seconds + 3600",
        for: "10m",
        severity: "critical",
        summary: "The last backup of {{ $labels.instance }} is old",
        description: "The last backup that succeeded is {{ $value | humanizeDuration }} old.",
        remedy:
          "No backup has succeeded for more than two intervals. The page Instance shows the last failure under Backups. Run `mooring backup` to see the reason: a full disk, a wrong access key, a missing `backup.key`, or a place that can't be reached. [Back up and restore](../how-to/backup.md) has the steps.",
        page: "backup-fails",
        test: {
          bad: {
            mooring_backup_last_success_timestamp_seconds: "0x300",
            mooring_backup_interval_seconds: "3600x300",
          },
          good: {
            mooring_backup_last_success_timestamp_seconds: "0+60x300",
            mooring_backup_interval_seconds: "3600x300",
          },
          quietAt: "185m",
          firesAt: "200m",
          value: "3h 20m 0s",
        },
      },
    ],
  },
  mooring_backup_failed: {
    type: "gauge",
    help: "1 while the last backup has failed; absent without a place for backups",
    alerts: [
      {
        name: "MooringBackupFails",
        group: "storage",
        expression: "mooring_backup_failed == 1",
        for: "10m",
        severity: "warning",
        summary: "The last backup of {{ $labels.instance }} failed",
        description: "The server tries again within an hour. Until then the last good backup becomes older.",
        remedy:
          "The page Instance has the reason under Backups. Run the backup by hand, read the cause, and mend the place or the key.",
        page: "backup-fails",
        problem: {
          text: "The last backup failed. The page Instance has the reason under Backups.",
          metric: "mooring_backup_failed",
          holds: (value) => value === 1,
        },
        test: {
          bad: { mooring_backup_failed: "0x4 1x30" },
          good: { mooring_backup_failed: "0x4 1x5 0x30" },
          quietAt: "13m",
          firesAt: "20m",
        },
      },
    ],
  },
  mooring_backup_failures_total: {
    type: "counter",
    help: "Backups of the server's own schedule, and of the page Instance, that failed",
  },
  mooring_trial_restore_last_success_timestamp_seconds: {
    type: "gauge",
    help: "End of the last trial restore that succeeded; 0 if there is none, absent without a place for backups",
    alerts: [
      {
        name: "MooringTrialRestoreOld",
        group: "storage",
        expression: "time() - mooring_trial_restore_last_success_timestamp_seconds > 691200",
        for: "1h",
        severity: "warning",
        summary: "No backup of {{ $labels.instance }} was restored lately",
        description: "The last trial restore that succeeded was {{ $value | humanizeDuration }} ago.",
        remedy:
          "The server restores the newest backup once a week to test it, and the last success is more than eight days old. The page Instance shows the reason under Backups. `mooring backup verify` names damaged files, and `mooring backup trial` repeats the test.",
        test: {
          bad: { mooring_trial_restore_last_success_timestamp_seconds: "0x11700" },
          good: { mooring_trial_restore_last_success_timestamp_seconds: "0+60x11700" },
          quietAt: "11550m",
          firesAt: "11600m",
          value: "8d 1h 20m 0s",
        },
      },
    ],
  },
} as const satisfies Readonly<Record<string, Family>>;
