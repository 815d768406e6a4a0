import { HEALTH_REASONS } from "../../store-health.ts";
import type { Family } from "../family.ts";

/** The stores of a server. `backups`: the directory of scheduled backups. */
export const STORES = ["records", "telemetry", "objects", "backups"] as const;
const FLUSH_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;

/** The objects that have quotas. */
export const QUOTA_SCOPES = ["organization", "project", "bucket", "webhook"] as const;

export const STORAGE = {
  mooring_quota_used_ratio: {
    type: "gauge",
    help: "The used share of the quota that is used most; 1 is full. `organization`: files, objects, images and events, not telemetry",
    labels: { scope: QUOTA_SCOPES },
    alerts: [
      {
        name: "MooringQuotaNearlyFull",
        group: "storage",
        expression: "mooring_quota_used_ratio >= 0.9",
        for: "1m",
        severity: "warning",
        summary: "A quota of Mooring on {{ $labels.instance }} is full or nearly full",
        description:
          "The quota of one {{ $labels.scope }} is used to {{ $value | humanizePercentage }}. Uploads that do not fit are refused.",
        remedy:
          "`GET /v1/quotas` and the page Usage of each organization show which quota it is, and [the daily usage](usage.md) shows who grew. Delete data, shorten the retention, or raise the quota: owners and admins raise the quotas of projects, buckets and webhooks, the operator those of the organization (`mooring quota`).",
        test: {
          bad: { 'mooring_quota_used_ratio{scope="project"}': "0.5x4 0.95x20" },
          good: { 'mooring_quota_used_ratio{scope="project"}': "0.85x24" },
          quietAt: "4m",
          firesAt: "8m",
          labels: { scope: "project" },
          value: "95%",
        },
      },
    ],
  },
  mooring_store_writable: {
    type: "gauge",
    help: "1 while a store takes writes: each is written to every 10 s",
    labels: { store: STORES },
  },
  mooring_store_failed: {
    type: "gauge",
    help: "1 for the reason why a store does not take writes",
    labels: { store: STORES, reason: HEALTH_REASONS },
    alerts: [
      {
        name: "MooringDiskFull",
        group: "storage",
        expression: 'mooring_store_failed{reason="disk_full"} == 1',
        for: "30s",
        severity: "critical",
        summary: "The disk of the {{ $labels.store }} of Mooring on {{ $labels.instance }} is full",
        description: "Writes get 503, and senders should retry. Reads continue, and stored data is safe.",
        remedy: "Make space. Writes then continue by themselves, within seconds.",
        page: "disk-full",
        problem: {
          text: "The disk of the {store} is full. Writes are refused, reads continue, and stored data is safe.",
          metric: "mooring_store_failed",
          only: { reason: ["disk_full"] },
          holds: (value) => value === 1,
        },
        test: {
          bad: { 'mooring_store_failed{store="telemetry", reason="disk_full"}': "0x4 1x20" },
          good: {
            'mooring_store_failed{store="telemetry", reason="disk_full"}': "0x4 1 0x20",
            'mooring_store_failed{store="telemetry", reason="read_only"}': "0x4 1x20",
          },
          quietAt: "5m",
          firesAt: "8m",
          labels: { store: "telemetry", reason: "disk_full" },
        },
      },
      {
        name: "MooringDiskReadOnly",
        group: "storage",
        expression: 'mooring_store_failed{reason=~"read_only|disk_error"} == 1',
        for: "30s",
        severity: "critical",
        summary: "The disk of the {{ $labels.store }} of Mooring on {{ $labels.instance }} takes no writes",
        description: "The file system is read-only or broken ({{ $labels.reason }}). Writes get 503.",
        remedy:
          "The kernel makes a file system read-only when its disk fails. Make a backup elsewhere first, if the disk can still be read.",
        page: "read-only",
        problem: {
          text: "The file system of the {store} takes no writes ({reason}). The disk may be broken.",
          metric: "mooring_store_failed",
          only: { reason: ["read_only", "disk_error"] },
          holds: (value) => value === 1,
        },
        test: {
          bad: { 'mooring_store_failed{store="telemetry", reason="read_only"}': "0x4 1x20" },
          good: { 'mooring_store_failed{store="telemetry", reason="disk_full"}': "0x4 1x20" },
          quietAt: "5m",
          firesAt: "8m",
          labels: { store: "telemetry", reason: "read_only" },
        },
      },
      {
        name: "MooringStoreHangs",
        group: "storage",
        expression: 'mooring_store_failed{reason="not_answering", store!="records"} == 1',
        for: "30s",
        severity: "critical",
        summary: "The store of the {{ $labels.store }} of Mooring on {{ $labels.instance }} does not answer",
        description: "Requests that need it wait, and then get 503. Stored data is safe.",
        remedy:
          "An S3 store or a file system in the network does not answer. Start that store again, or repair the network. The server needs no restart.",
        page: "store-hangs",
        problem: {
          text: "The store of the {store} does not answer. Requests that need it wait, and then fail.",
          metric: "mooring_store_failed",
          only: { reason: ["not_answering"], store: ["telemetry", "objects", "backups"] },
          holds: (value) => value === 1,
        },
        test: {
          bad: { 'mooring_store_failed{store="objects", reason="not_answering"}': "0x4 1x20" },
          good: { 'mooring_store_failed{store="objects", reason="not_answering"}': "0x4 1 0x20" },
          quietAt: "5m",
          firesAt: "8m",
          labels: { store: "objects", reason: "not_answering" },
        },
      },
      {
        name: "MooringStoreNotWritable",
        group: "storage",
        expression: 'mooring_store_failed{reason=~"not_permitted|overloaded|failed"} == 1',
        for: "30s",
        severity: "critical",
        summary: "The {{ $labels.store }} of Mooring on {{ $labels.instance }} can't be written",
        description: "A test write failed ({{ $labels.reason }}). Requests that need this store get 503.",
        remedy:
          "The server writes a small file to each store every 10 s, and one of these writes failed. `/health` has the reason, and the log has a line `a store does not take writes`. `not_permitted`: the user of the server may not write there; compare the owner of the files with the unit. If the store is `backups`, only backups are affected.",
        problem: {
          text: "The {store} can't be written ({reason}).",
          metric: "mooring_store_failed",
          only: { reason: ["not_permitted", "overloaded", "failed"] },
          holds: (value) => value === 1,
        },
        test: {
          bad: { 'mooring_store_failed{store="telemetry", reason="failed"}': "0x4 1x20" },
          good: { 'mooring_store_failed{store="telemetry", reason="failed"}': "0x4 1 0x20" },
          quietAt: "5m",
          firesAt: "8m",
          labels: { store: "telemetry", reason: "failed" },
        },
      },
    ],
  },
  mooring_disk_free_bytes: {
    type: "gauge",
    help: "Free bytes of the file system of a store",
    labels: { store: STORES },
    alerts: [
      {
        name: "MooringDiskLow",
        group: "storage",
        expression: "mooring_disk_free_bytes / mooring_disk_size_bytes < 0.1",
        for: "5m",
        severity: "warning",
        summary: "The disk of Mooring on {{ $labels.instance }} is nearly full",
        description: "{{ $value | humanizePercentage }} of the file system of the {{ $labels.store }} is free.",
        remedy:
          "Less than 10 % of the file system is free. Enlarge the disk, shorten [retention](retention.md), empty the trash, or delete old backups.",
        test: {
          bad: {
            'mooring_disk_free_bytes{store="objects"}': "9x20",
            'mooring_disk_size_bytes{store="objects"}': "100x20",
          },
          good: {
            'mooring_disk_free_bytes{store="objects"}': "11x20",
            'mooring_disk_size_bytes{store="objects"}': "100x20",
          },
          quietAt: "4m",
          firesAt: "10m",
          labels: { store: "objects" },
          value: "9%",
        },
      },
      {
        name: "MooringDiskAlmostFull",
        group: "storage",
        expression: "mooring_disk_free_bytes / mooring_disk_size_bytes < 0.03 or mooring_disk_free_bytes < 1073741824",
        for: "1m",
        severity: "critical",
        summary: "The disk of Mooring on {{ $labels.instance }} is almost full",
        description:
          "Less than 3 % or 1 GiB of the file system of the {{ $labels.store }} is free. Soon writes are refused.",
        remedy:
          "Less than 3 % or 1 GiB is free. Make space now: [when the disk is full](operations.md#a-full-disk), ingestion and uploads are refused.",
        test: {
          bad: {
            'mooring_disk_free_bytes{store="objects"}': "2000000000x20",
            'mooring_disk_size_bytes{store="objects"}': "100000000000x20",
          },
          good: {
            'mooring_disk_free_bytes{store="objects"}': "4000000000x20",
            'mooring_disk_size_bytes{store="objects"}': "100000000000x20",
          },
          quietAt: "0m",
          firesAt: "5m",
          labels: { store: "objects" },
        },
      },
      {
        name: "MooringDiskFillsSoon",
        group: "storage",
        expression:
          "predict_linear(mooring_disk_free_bytes[6h], 3 * 24 * 3600) < 0 and mooring_disk_free_bytes / mooring_disk_size_bytes < 0.4",
        for: "1h",
        severity: "warning",
        summary: "The disk of Mooring on {{ $labels.instance }} will be full within three days",
        description:
          "The free space of the {{ $labels.store }} shrinks as in the last 6 hours. Shorten retention, delete data or enlarge the disk.",
        remedy:
          'At the rate of the last 6 hours, the disk will be full within three days. The panels "Parquet" and "By surface" show the part that grows; `/v1/usage` shows the organization.',
        test: {
          bad: {
            'mooring_disk_free_bytes{store="objects"}': "39-0.05x500",
            'mooring_disk_size_bytes{store="objects"}': "100x500",
          },
          good: {
            'mooring_disk_free_bytes{store="objects"}': "39-0.001x500",
            'mooring_disk_size_bytes{store="objects"}': "100x500",
          },
          quietAt: "59m",
          firesAt: "420m",
          labels: { store: "objects" },
        },
      },
    ],
  },
  mooring_disk_size_bytes: { type: "gauge", help: "Size of the file system of a store", labels: { store: STORES } },
  mooring_disk_inodes_free: {
    type: "gauge",
    help: "Files that can still be created in the file system of a store, if their number is limited",
    labels: { store: STORES },
    alerts: [
      {
        name: "MooringInodesLow",
        group: "storage",
        expression: "mooring_disk_inodes_free < 20000",
        for: "10m",
        severity: "warning",
        summary: "The disk of Mooring on {{ $labels.instance }} can't take many more files",
        description: "The file system of the {{ $labels.store }} has {{ $value }} free inodes.",
        remedy:
          "The file system has few inodes left. When there are none, writes fail as on a full disk. Find the directory with most files (`du --inodes`), delete files of other programs, or create the file system again with more inodes.",
        test: {
          bad: { 'mooring_disk_inodes_free{store="objects"}': "1000x30" },
          good: { 'mooring_disk_inodes_free{store="objects"}': "30000x30" },
          quietAt: "9m",
          firesAt: "12m",
          labels: { store: "objects" },
          value: "1000",
        },
      },
    ],
  },
  mooring_uploads_running: { type: "gauge", help: "Uploads whose content is being stored" },
  mooring_uploads_waiting: { type: "gauge", help: "Uploads that wait for others of their credential or person" },
  mooring_upload_wait_seconds: {
    type: "histogram",
    help: "How long uploads waited for others of their organization before their content was read",
    buckets: [0.001, 0.01, 0.1, 0.5, 1, 5, 10, 30],
  },
  mooring_fsync_duration_seconds: {
    type: "histogram",
    help: "Time of a flush to the disk: each flush of the telemetry log, and those of test writes",
    labels: { store: STORES },
    buckets: FLUSH_SECONDS,
    alerts: [
      {
        name: "MooringSlowDisk",
        group: "storage",
        expression:
          "histogram_quantile(0.99, sum by (instance, store, le) (rate(mooring_fsync_duration_seconds_bucket[10m]))) > 0.5",
        for: "10m",
        severity: "warning",
        summary: "The disk of Mooring on {{ $labels.instance }} is slow",
        description:
          "One of a hundred flushes of the {{ $labels.store }} takes longer than {{ $value | humanizeDuration }}.",
        remedy:
          "A flush to the disk takes longer than half a second. Look for other load on the disk (`iostat -x 5`), for errors in the kernel's log (`dmesg`), and for a limit of the cloud provider. A disk that is about to fail is often slow first: check that a current backup exists.",
        test: {
          bad: {
            'mooring_fsync_duration_seconds_bucket{store="telemetry", le="0.5"}': "0+90x40",
            'mooring_fsync_duration_seconds_bucket{store="telemetry", le="1"}': "0+100x40",
            'mooring_fsync_duration_seconds_bucket{store="telemetry", le="+Inf"}': "0+100x40",
          },
          good: {
            'mooring_fsync_duration_seconds_bucket{store="telemetry", le="0.5"}': "0+100x40",
            'mooring_fsync_duration_seconds_bucket{store="telemetry", le="1"}': "0+100x40",
            'mooring_fsync_duration_seconds_bucket{store="telemetry", le="+Inf"}': "0+100x40",
          },
          quietAt: "9m",
          firesAt: "25m",
          labels: { store: "telemetry" },
          keeps: "instance",
          value: "950ms",
        },
      },
    ],
  },
} as const satisfies Readonly<Record<string, Family>>;
