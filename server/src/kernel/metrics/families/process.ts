import type { Family } from "../family.ts";

const GC_KINDS = ["major", "minor", "incremental", "weakcb"] as const;
const ONE_VALUE = { bound: "one value for each process", max: 1 } as const;

/** The parts whose death ends the server. */
export const FATAL_PARTS = ["records writer", "telemetry log", "key store"] as const;

export const PROCESS = {
  mooring_build_info: {
    type: "gauge",
    help: "1, with the versions of the server and of Node",
    labels: { version: ONE_VALUE, node_version: ONE_VALUE },
    alerts: [
      {
        name: "MooringDown",
        group: "availability",
        expression: 'up{job="mooring"} == 0',
        for: "2m",
        severity: "critical",
        summary: "Mooring on {{ $labels.instance }} does not answer",
        description:
          "Prometheus could not read the metrics for 2 minutes. The process has ended, or the network is broken.",
        remedy:
          "Prometheus could not read the metrics for 2 minutes. Look whether the process runs, and read the end of its log: [the exit codes](operations.md#when-the-server-ends-without-a-signal) say why it ended. If it runs, check `metrics_listen` and the network between Prometheus and the server.",
        test: { bad: { up: "1 0x20" }, good: { up: "1x21" }, quietAt: "2m", firesAt: "4m" },
      },
      {
        name: "MooringNotScraped",
        group: "availability",
        expression: 'absent(up{job="mooring"})',
        for: "5m",
        severity: "critical",
        summary: "Prometheus watches no Mooring server",
        description: "No target has the job mooring. All other alerts of Mooring are silent as long as this one fires.",
        remedy:
          "No target has the job `mooring`, so no other alert can fire. Check `scrape_configs`, or the labels of the `ServiceMonitor`.",
        test: { bad: { 'up{job="other"}': "1x20" }, quietAt: "4m", firesAt: "6m", keeps: "job" },
      },
    ],
  },
  process_start_time_seconds: {
    type: "gauge",
    help: "When the process started, in seconds since 1970",
    alerts: [
      {
        name: "MooringRestarts",
        group: "availability",
        expression: 'changes(process_start_time_seconds{job="mooring"}[30m]) > 2',
        for: "1m",
        severity: "warning",
        summary: "Mooring on {{ $labels.instance }} restarts again and again",
        description:
          "It started {{ $value }} times in 30 minutes. The last lines of its log before each start have the reason.",
        remedy:
          'The server started more than twice in 30 minutes. The log before each start has a line with the level `fatal` or `error`. Without one, the system ended the process: look for "out of memory" in the kernel\'s log.',
        test: {
          bad: { process_start_time_seconds: "100x9 200x9 300x9 400x9" },
          good: { process_start_time_seconds: "100x9 200x9 300x19" },
          quietAt: "29m",
          firesAt: "33m",
          value: "3",
        },
      },
    ],
  },
  mooring_fatal_exit_timestamp_seconds: {
    type: "gauge",
    help: "When the server ended by itself, because a part of it had died; present until somebody deletes `last-fatal.json` in the data directory",
    labels: { part: FATAL_PARTS },
    alerts: [
      {
        name: "MooringServerDied",
        group: "availability",
        expression: "mooring_fatal_exit_timestamp_seconds > 0",
        for: "0s",
        severity: "critical",
        summary: "Mooring on {{ $labels.instance }} ended by itself: its {{ $labels.part }} died",
        description: "The supervisor has started it again. Find the cause before it happens again.",
        remedy:
          "A part without which nothing can be stored has died, so the server ended and was started again. Look at the disk and the memory, check the data, and delete the note.",
        page: "writer-dead",
        problem: {
          text: "The server ended by itself and was started again: its {part} died.",
          metric: "mooring_fatal_exit_timestamp_seconds",
          holds: (value) => value > 0,
        },
        test: {
          bad: { 'mooring_fatal_exit_timestamp_seconds{part="records writer"}': "_x4 1700000000x20" },
          quietAt: "2m",
          firesAt: "8m",
          labels: { part: "records writer" },
        },
      },
    ],
  },
  mooring_config_reload_failures_total: {
    type: "counter",
    help: "Reloads (SIGHUP) with a fault in the settings or the certificates; the old ones stay",
    alerts: [
      {
        name: "MooringReloadFailed",
        group: "process",
        expression: "increase(mooring_config_reload_failures_total[15m]) > 0",
        for: "1m",
        severity: "warning",
        summary: "Mooring on {{ $labels.instance }} could not reload its settings or certificates",
        description: "After a SIGHUP, the server keeps the old ones. Its log has the fault.",
        remedy:
          "A reload found a fault, so the server uses the old log level and the old certificates. The log has the fault at the level `error`. Correct the file, check it with `mooring config check`, and [reload again](operations.md#reloading).",
        test: {
          bad: { mooring_config_reload_failures_total: "0x4 1x30" },
          good: { mooring_config_reload_failures_total: "1x34" },
          quietAt: "5m",
          firesAt: "8m",
        },
      },
    ],
  },
  process_cpu_seconds_total: { type: "counter", help: "CPU time of the main process" },
  process_resident_memory_bytes: { type: "gauge", help: "Resident memory of the main process" },
  process_open_fds: {
    type: "gauge",
    help: "Open file descriptors of the main process",
    alerts: [
      {
        name: "MooringFileDescriptors",
        group: "process",
        expression: 'process_open_fds{job="mooring"} / process_max_fds{job="mooring"} > 0.8',
        for: "10m",
        severity: "warning",
        summary: "Mooring on {{ $labels.instance }} has nearly all files open",
        description:
          "{{ $value | humanizePercentage }} of the allowed file descriptors are in use. Beyond the limit, connections are refused.",
        remedy:
          "More than 80 % of the allowed file descriptors are in use. Raise the limit (`LimitNOFILE` of the unit), or find the client that opens many connections. `connections_max` limits the connections.",
        test: {
          bad: { process_open_fds: "900x20", process_max_fds: "1000x20" },
          good: { process_open_fds: "700x20", process_max_fds: "1000x20" },
          quietAt: "9m",
          firesAt: "12m",
          value: "90%",
        },
      },
    ],
  },
  process_max_fds: { type: "gauge", help: "The limit of open file descriptors" },
  nodejs_heap_size_used_bytes: { type: "gauge", help: "Used bytes of the JavaScript heap" },
  nodejs_external_memory_bytes: { type: "gauge", help: "Bytes of buffers outside of the JavaScript heap" },
  nodejs_gc_duration_seconds: {
    type: "histogram",
    help: "Pauses by garbage collection",
    labels: { kind: GC_KINDS },
    buckets: [0.001, 0.01, 0.1, 1, 2, 5],
  },
  mooring_eventloop_delay_seconds: {
    type: "histogram",
    help: "How late the timers of the main thread are",
    buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    alerts: [
      {
        name: "MooringEventLoopBlocked",
        group: "process",
        expression:
          "histogram_quantile(0.99, sum by (instance, le) (rate(mooring_eventloop_delay_seconds_bucket[5m]))) > 0.2",
        for: "10m",
        severity: "warning",
        summary: "Mooring on {{ $labels.instance }} is overloaded",
        description:
          "One of a hundred turns of the event loop is late by more than {{ $value | humanizeDuration }}. Every request waits for it.",
        remedy:
          'The main thread is late for every request. Look at "CPU" and at the routes with most requests. If the machine is busy with other work, give the server more CPU. Otherwise it is a fault of the server: report it with the log.',
        test: {
          bad: {
            'mooring_eventloop_delay_seconds_bucket{le="0.1"}': "0+90x30",
            'mooring_eventloop_delay_seconds_bucket{le="0.25"}': "0+97x30",
            'mooring_eventloop_delay_seconds_bucket{le="0.5"}': "0+99x30",
            'mooring_eventloop_delay_seconds_bucket{le="+Inf"}': "0+99x30",
          },
          good: {
            'mooring_eventloop_delay_seconds_bucket{le="0.1"}': "0+99x30",
            'mooring_eventloop_delay_seconds_bucket{le="0.25"}': "0+100x30",
            'mooring_eventloop_delay_seconds_bucket{le="0.5"}': "0+100x30",
            'mooring_eventloop_delay_seconds_bucket{le="+Inf"}': "0+100x30",
          },
          quietAt: "9m",
          firesAt: "15m",
          keeps: "instance",
          value: "376.3ms",
        },
      },
    ],
  },
} as const satisfies Readonly<Record<string, Family>>;
