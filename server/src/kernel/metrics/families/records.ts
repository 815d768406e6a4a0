import type { Family } from "../family.ts";

export const RECORDS = {
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
        page: "database-stopped",
        problem: {
          text: "The records do not answer. Requests are refused until they do.",
          metric: "mooring_records_up",
          holds: (value) => value === 0,
        },
        test: {
          bad: { mooring_records_up: "1x4 0x20" },
          good: { mooring_records_up: "1x25" },
          quietAt: "5m",
          firesAt: "8m",
        },
      },
    ],
  },
  mooring_records_duration_seconds: {
    type: "histogram",
    help: "Time of the test reads and writes of the records, every 10 s",
    labels: { kind: ["read", "write"] },
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    alerts: [
      {
        name: "MooringRecordsSlow",
        group: "storage",
        expression:
          "histogram_quantile(0.99, sum by (instance, kind, le) (rate(mooring_records_duration_seconds_bucket[10m]))) > 1",
        for: "10m",
        severity: "warning",
        summary: "The records of Mooring on {{ $labels.instance }} are slow",
        description: "A {{ $labels.kind }} of one row takes up to {{ $value | humanizeDuration }}.",
        remedy:
          'One row is read or written every 10 s as a test, and that takes longer than a second. With PostgreSQL, look at its load, at long transactions (`pg_stat_activity`) and at the network. With SQLite, compare with MooringSlowDisk, and with the panel "records_writer_queue".',
        test: {
          bad: {
            'mooring_records_duration_seconds_bucket{kind="write", le="1"}': "0+1x40",
            'mooring_records_duration_seconds_bucket{kind="write", le="2.5"}': "0+6x40",
            'mooring_records_duration_seconds_bucket{kind="write", le="+Inf"}': "0+6x40",
          },
          good: {
            'mooring_records_duration_seconds_bucket{kind="write", le="1"}': "0+6x40",
            'mooring_records_duration_seconds_bucket{kind="write", le="2.5"}': "0+6x40",
            'mooring_records_duration_seconds_bucket{kind="write", le="+Inf"}': "0+6x40",
          },
          quietAt: "9m",
          firesAt: "25m",
          labels: { kind: "write" },
          keeps: "instance",
          value: "2.482s",
        },
      },
    ],
  },
  mooring_records_writer_queue: {
    type: "gauge",
    help: "Messages that wait for the thread that writes the records in SQLite",
    alerts: [
      {
        name: "MooringWriterBehind",
        group: "storage",
        expression: "mooring_records_writer_queue > 1000",
        for: "1m",
        severity: "warning",
        summary: "Changes on {{ $labels.instance }} wait for the records",
        description: "{{ $value }} messages wait for the thread that writes the records.",
        remedy:
          "The thread that writes the records can't keep up, so every change waits. Compare with MooringSlowDisk, and look for a client that sends very many changes (Most requested routes). If the thread has died, the server ends with exit code 10, and your supervisor starts it again.",
        test: {
          bad: { mooring_records_writer_queue: "0x4 2000x20" },
          good: { mooring_records_writer_queue: "0x4 900x20" },
          quietAt: "5m",
          firesAt: "8m",
          value: "2000",
        },
      },
    ],
  },
} as const satisfies Readonly<Record<string, Family>>;
