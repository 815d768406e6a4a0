import type { Family } from "../family.ts";

export const STORAGE = {
  mooring_records_up: {
    type: "gauge",
    help: "1 while the records answer",
    alerts: [
      {
        name: "MooringRecordsUnreachable",
        group: "availability",
        expression: "mooring_records_up == 0",
        for: "1m",
        severity: "critical",
        summary: "Mooring on {{ $labels.instance }} can't read its records",
        description: "SQLite or PostgreSQL did not answer for a minute. Requests get 503.",
        remedy:
          "SQLite or PostgreSQL does not answer. With PostgreSQL, check the database, the network and the number of connections. With SQLite, check the disk of the data directory. Requests work again as soon as the records answer.",
        test: {
          bad: { mooring_records_up: "1x4 0x20" },
          good: { mooring_records_up: "1x25" },
          quietAt: "5m",
          firesAt: "8m",
        },
      },
    ],
  },
  mooring_objects_writable: {
    type: "gauge",
    help: "1 while content of files is accepted",
    alerts: [
      {
        name: "MooringObjectsNotWritable",
        group: "storage",
        expression: "mooring_objects_writable == 0",
        for: "1m",
        severity: "critical",
        summary: "Mooring on {{ $labels.instance }} refuses content",
        description: "Content of files, objects and images can't be written. Uploads fail.",
        remedy:
          "Uploads of files, objects and images fail. `/health` has the reason: the disk of `objects/`, or the S3 store and its key.",
        test: {
          bad: { mooring_objects_writable: "1x4 0x20" },
          good: { mooring_objects_writable: "1x25" },
          quietAt: "5m",
          firesAt: "8m",
        },
      },
    ],
  },
  mooring_data_free_bytes: {
    type: "gauge",
    help: "Free bytes of the data directory's file system",
    alerts: [
      {
        name: "MooringDiskLow",
        group: "storage",
        expression: "mooring_data_free_bytes / mooring_data_size_bytes < 0.1",
        for: "5m",
        severity: "warning",
        summary: "The disk of Mooring on {{ $labels.instance }} is nearly full",
        description: "{{ $value | humanizePercentage }} of the data directory's file system is free.",
        remedy:
          "Less than 10 % of the data directory's file system is free. Enlarge the disk, shorten [retention](retention.md), empty the trash, or delete old backups.",
        test: {
          bad: { mooring_data_free_bytes: "9x20", mooring_data_size_bytes: "100x20" },
          good: { mooring_data_free_bytes: "11x20", mooring_data_size_bytes: "100x20" },
          quietAt: "4m",
          firesAt: "10m",
          value: "9%",
        },
      },
      {
        name: "MooringDiskAlmostFull",
        group: "storage",
        expression: "mooring_data_free_bytes / mooring_data_size_bytes < 0.03",
        for: "1m",
        severity: "critical",
        summary: "The disk of Mooring on {{ $labels.instance }} is almost full",
        description:
          "{{ $value | humanizePercentage }} of the data directory's file system is free. Soon ingestion and uploads are refused.",
        remedy:
          "Less than 3 % is free. Make space now: [when the disk is full](operations.md#a-full-disk), ingestion and uploads are refused.",
        test: {
          bad: { mooring_data_free_bytes: "2x20", mooring_data_size_bytes: "100x20" },
          good: { mooring_data_free_bytes: "4x20", mooring_data_size_bytes: "100x20" },
          quietAt: "0m",
          firesAt: "5m",
          value: "2%",
        },
      },
      {
        name: "MooringDiskFillsSoon",
        group: "storage",
        expression:
          "predict_linear(mooring_data_free_bytes[6h], 24 * 3600) < 0 and mooring_data_free_bytes / mooring_data_size_bytes < 0.4",
        for: "1h",
        severity: "warning",
        summary: "The disk of Mooring on {{ $labels.instance }} will be full within a day",
        description:
          "The free space shrinks as in the last 6 hours. Shorten retention, delete data or enlarge the disk.",
        remedy:
          'At the rate of the last 6 hours, the disk will be full within a day. The panels "Parquet" and "Requests by surface" show the part that grows; `/v1/usage` shows the organization.',
        test: {
          bad: { mooring_data_free_bytes: "39-0.05x500", mooring_data_size_bytes: "100x500" },
          good: { mooring_data_free_bytes: "39-0.01x500", mooring_data_size_bytes: "100x500" },
          quietAt: "59m",
          firesAt: "420m",
        },
      },
    ],
  },
  mooring_data_size_bytes: { type: "gauge", help: "Size of the data directory's file system" },
} as const satisfies Readonly<Record<string, Family>>;
