import type { Family } from "../family.ts";

const PROTOCOLS = { bound: "protocols that skip values", max: 10 } as const;
const REASONS = { bound: "reasons of these protocols", max: 10 } as const;

export const TELEMETRY = {
  mooring_telemetry_writable: {
    type: "gauge",
    help: "1 while batches are accepted",
    alerts: [
      {
        name: "MooringTelemetryNotWritable",
        group: "storage",
        expression: "mooring_telemetry_writable == 0",
        for: "1m",
        severity: "critical",
        summary: "Mooring on {{ $labels.instance }} refuses telemetry",
        description:
          "The telemetry log can't be written, for example because the disk is full. Senders get 503 and should retry.",
        remedy:
          "The telemetry log can't be written, and ingestion gets 503. Senders keep the rows and retry. `/health` has the reason. Usually [the disk is full](operations.md#a-full-disk), or it is read-only.",
        test: {
          bad: { mooring_telemetry_writable: "1x4 0x20" },
          good: { mooring_telemetry_writable: "1x25" },
          quietAt: "5m",
          firesAt: "8m",
        },
      },
    ],
  },
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
          "Rows of [the server's own telemetry](operations.md#the-servers-own-telemetry) could not be written for so long that new ones were dropped. The cause is usually that of MooringTelemetryNotWritable.",
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
    help: "Rows that the server has written about its own requests",
    labels: { table: ["access_log"] },
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
          "The server does not write every row of [the access log](access-log.md), because requests must not wait for it. Look at the label `reason`. `disk`: [free space](operations.md#a-full-disk) on the data directory. `spool`: the log of telemetry takes no rows, usually with the cause of MooringTelemetryNotWritable. `size`: a row was too large, which is a bug.",
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
