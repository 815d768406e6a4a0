import type { Family } from "../family.ts";

const PROTOCOLS = { bound: "protocols that skip values", max: 10 } as const;
const REASONS = { bound: "reasons of these protocols", max: 10 } as const;

/** As `ENTRY_REFUSALS` of the contract. */
const ROW_REFUSALS = [
  "too_old",
  "in_future",
  "bad_timestamp",
  "missing_member",
  "unknown_member",
  "bad_value",
  "too_many_attributes",
  "too_large",
  "unreadable",
  "other_service",
  "project",
  "quota",
  "busy",
] as const;
const TYPES = ["logs", "metrics", "traces"] as const;

export const TELEMETRY = {
  mooring_ingest_rows_total: {
    type: "counter",
    help: "Rows of telemetry that were stored",
    labels: { type: TYPES },
    alerts: [
      {
        name: "MooringIngestionStopped",
        group: "work",
        expression:
          "sum by (instance) (rate(mooring_ingest_rows_total[15m])) == 0 and sum by (instance) (rate(mooring_ingest_rows_total[1h] offset 1d)) > 0",
        for: "15m",
        severity: "warning",
        summary: "Mooring on {{ $labels.instance }} gets no telemetry",
        description: "No row was stored for 15 minutes, and a day ago there were some.",
        remedy:
          'Either no sender reaches the server, or all are refused. Compare with "Ingestion" by status: 401 and 403 are a key that was revoked, 429 is a quota, 503 is the disk. Without any request, look at DNS, the proxy and the certificate. If senders are quiet at some hours, delete this rule.',
        test: {
          bad: { 'mooring_ingest_rows_total{type="logs"}': "0+100x1440 144000x120" },
          good: { 'mooring_ingest_rows_total{type="logs"}': "0+100x1560" },
          quietAt: "1450m",
          firesAt: "1500m",
          keeps: "instance",
        },
      },
    ],
  },
  mooring_ingest_bytes_total: {
    type: "counter",
    help: "Bytes of these rows, as they are in the write-ahead log",
    labels: { type: TYPES },
  },
  mooring_ingest_rows_refused_total: {
    type: "counter",
    help: "Rows of telemetry that were refused, by the reason in the answer",
    labels: { type: TYPES, reason: ROW_REFUSALS },
    alerts: [
      {
        name: "MooringTelemetryRefused",
        group: "work",
        expression: "sum by (instance, reason) (increase(mooring_ingest_rows_refused_total[15m])) > 0",
        for: "15m",
        severity: "warning",
        summary: "Mooring on {{ $labels.instance }} refuses telemetry",
        description:
          "{{ $value | printf `%.0f` }} rows were refused in 15 minutes ({{ $labels.reason }}). They are lost unless their sender keeps them.",
        remedy:
          "The page Refused entries of the organization shows the sender, the reason and samples. `in_future` and `bad_timestamp` are usually the clock of the sender, `too_old` is a backlog that is longer than the retention, `quota` and `busy` are limits of the server, and the other reasons are rows that the sender must change.",
        page: "telemetry-refused",
        problem: {
          text: "Entries of telemetry are refused ({reason}). Their senders lose them.",
          metric: "mooring_ingest_rows_refused_total",
          withinS: 900,
          by: ["reason"],
          holds: (value) => value > 0,
        },
        test: {
          bad: { 'mooring_ingest_rows_refused_total{type="logs", reason="in_future"}': "0x4 0+10x60" },
          good: { 'mooring_ingest_rows_refused_total{type="logs", reason="in_future"}': "5x64" },
          quietAt: "18m",
          firesAt: "40m",
          labels: { reason: "in_future" },
          keeps: "instance",
          value: "150",
        },
      },
    ],
  },
  mooring_telemetry_waiting_bytes: { type: "gauge", help: "Bytes of batches that wait for the write-ahead log" },
  mooring_telemetry_log_bytes: {
    type: "gauge",
    help: "Bytes of the write-ahead log that are not yet in Parquet files",
    alerts: [
      {
        name: "MooringTelemetryLogGrows",
        group: "storage",
        expression: "delta(mooring_telemetry_log_bytes[1h]) > 0 and resets(mooring_telemetry_log_bytes[1h]) == 0",
        for: "15m",
        severity: "warning",
        summary: "The telemetry log on {{ $labels.instance }} only grows",
        description:
          "For an hour no rows were moved to Parquet files. The log grew by {{ $value | humanize1024 }}B. Disk and memory will run out.",
        remedy:
          "For an hour, no rows were moved from the write-ahead log to Parquet files. The log has lines `cannot compact telemetry` with the reason, often too little space. With a `compaction_interval_ms` of more than an hour, delete this rule.",
        test: {
          bad: { mooring_telemetry_log_bytes: "0+1048576x120" },
          good: { mooring_telemetry_log_bytes: "0+1048576x30 0+1048576x30 0+1048576x30 0+1048576x30" },
          quietAt: "14m",
          firesAt: "80m",
          value: "60Mi",
        },
      },
    ],
  },
  mooring_telemetry_hot_rows: { type: "gauge", help: "Rows that are not yet in Parquet files" },
  mooring_telemetry_parquet_files: { type: "gauge", help: "Parquet files" },
  mooring_telemetry_parquet_bytes: { type: "gauge", help: "Bytes of Parquet files" },
  mooring_compaction_runs_total: {
    type: "counter",
    help: "Runs that write rows to Parquet files (compact), or merge such files (merge)",
    labels: { work: ["compact", "merge"], result: ["done", "failed"] },
    alerts: [
      {
        name: "MooringCompactionFails",
        group: "storage",
        expression: 'sum by (instance, work) (increase(mooring_compaction_runs_total{result="failed"}[30m])) > 3',
        for: "5m",
        severity: "warning",
        summary: "Telemetry files on {{ $labels.instance }} can't be written",
        description: "{{ $value | printf `%.0f` }} runs ({{ $labels.work }}) failed in 30 minutes.",
        remedy:
          'Rows stay safe in the write-ahead log, but it grows, and queries become slower. The log has lines `cannot compact telemetry` or `cannot merge telemetry files` with the reason: usually too little space or memory. If the process for compaction is killed again and again, look for "out of memory" in the kernel\'s log.',
        test: {
          bad: { 'mooring_compaction_runs_total{work="compact", result="failed"}': "0+1x60" },
          good: { 'mooring_compaction_runs_total{work="compact", result="failed"}': "0x4 1x10 2x46" },
          quietAt: "6m",
          firesAt: "40m",
          labels: { work: "compact" },
          keeps: "instance",
          value: "30",
        },
      },
    ],
  },
  mooring_quarantined_files: {
    type: "gauge",
    help: "Files of telemetry that could not be read or compacted, and are kept for a person to examine",
    alerts: [
      {
        name: "MooringTelemetryQuarantined",
        group: "storage",
        expression: "mooring_quarantined_files > 0",
        for: "1m",
        severity: "critical",
        summary: "Telemetry on {{ $labels.instance }} could not be read",
        description: "{{ $value }} files are in quarantine. Queries do not see their rows.",
        remedy:
          "Files in `telemetry/quarantine` have rows that queries do not see. The log says why at the time when a file was put there: a damaged disk, a database that does not belong to the directory, or rows that can't be converted. Check the disk first, and restore the rows from a [backup](operations.md#backup-and-restore) if they are needed. Move the files away when you are done: then this alert ends.",
        test: {
          bad: { mooring_quarantined_files: "0x4 2x20" },
          good: { mooring_quarantined_files: "0x24" },
          quietAt: "4m",
          firesAt: "8m",
          value: "2",
        },
      },
    ],
  },
  mooring_telemetry_merges_total: { type: "counter", help: "Merges of Parquet files since the start" },
  mooring_telemetry_merged_bytes_total: { type: "counter", help: "Bytes that merges have written since the start" },
  mooring_ingest_skipped_total: {
    type: "counter",
    help: "Values of other protocols that were taken without a row",
    labels: { protocol: PROTOCOLS, reason: REASONS },
  },
  mooring_syslog_messages_total: {
    type: "counter",
    help: "Messages of syslog; dropped datagrams could not be stored in time",
    labels: { transport: ["tcp", "tls", "udp"], result: ["stored", "refused", "dropped"] },
  },
  mooring_syslog_udp_kernel_drops_total: {
    type: "counter",
    help: "Datagrams that the kernel dropped because the receive buffer was full",
  },
  mooring_own_telemetry_dropped_total: {
    type: "counter",
    help: "Rows of the server's own telemetry that were dropped because too many waited",
    alerts: [
      {
        name: "MooringOwnTelemetryDropped",
        group: "work",
        expression: "increase(mooring_own_telemetry_dropped_total[15m]) > 0",
        for: "5m",
        severity: "warning",
        summary: "Mooring on {{ $labels.instance }} loses rows about itself",
        description:
          "{{ $value | printf `%.0f` }} rows of the server's own telemetry were dropped in 15 minutes, because they could not be written.",
        remedy:
          "Rows of [the server's own telemetry](operations.md#the-servers-own-telemetry) could not be written for so long that new ones were dropped. The cause is usually that of MooringStoreNotWritable.",
        test: {
          bad: { mooring_own_telemetry_dropped_total: "0x4 0+20x30" },
          good: { mooring_own_telemetry_dropped_total: "0x34" },
          quietAt: "9m",
          firesAt: "20m",
          value: "300",
        },
      },
    ],
  },
  mooring_spool_rows_total: {
    type: "counter",
    help: "Rows that the server has written about requests and statements",
    labels: { table: ["access_log", "query_log"] },
  },
  mooring_spool_bytes: { type: "gauge", help: "Bytes of these rows that are not yet in the log of telemetry" },
  mooring_spool_lost_rows_total: {
    type: "counter",
    help: "Rows about requests that were lost: the disk is nearly full, too many rows wait (spool), or the row is too large (size)",
    labels: { reason: ["disk", "spool", "size"] },
    alerts: [
      {
        name: "MooringAccessLogIncomplete",
        group: "work",
        expression: "sum by (instance, job) (increase(mooring_spool_lost_rows_total[15m])) > 0",
        for: "1m",
        severity: "warning",
        summary: "The access log of {{ $labels.instance }} is not complete",
        description: "{{ $value | printf `%.0f` }} rows were lost in 15 minutes. Requests are answered as usual.",
        remedy:
          "The server does not write every row of [the access log](access-log.md), because requests must not wait for it. Look at the label `reason`. `disk`: [free space](operations.md#a-full-disk) on the data directory. `spool`: the log of telemetry takes no rows, usually with the cause of MooringStoreNotWritable. `size`: a row was too large, which is a bug.",
        test: {
          bad: { mooring_spool_lost_rows_total: "0x4 0+20x30" },
          good: { mooring_spool_lost_rows_total: "0x34" },
          quietAt: "4m",
          firesAt: "20m",
          value: "300",
        },
      },
    ],
  },
} as const satisfies Readonly<Record<string, Family>>;
