import type { Family } from "../family.ts";

const KINDS = { bound: "kinds of jobs, as on the page Instance", max: 40 } as const;
const PERIODIC = { bound: "names of periodic work, as on the page Instance", max: 80 } as const;

export const JOBS = {
  mooring_job_runs_total: {
    type: "counter",
    help: "Runs of jobs on this server; failed ones are tried again, given up ones are not",
    labels: { kind: KINDS, result: ["done", "failed", "given up"] },
  },
  mooring_jobs_waiting: {
    type: "gauge",
    help: "Jobs in the queue, due or not, without parked ones",
    labels: { kind: KINDS },
  },
  mooring_job_oldest_due_seconds: {
    type: "gauge",
    help: "For how long the oldest job that is due has waited",
    labels: { kind: KINDS },
    alerts: [
      {
        name: "MooringJobsLate",
        group: "work",
        expression: "mooring_job_oldest_due_seconds > 900",
        for: "5m",
        severity: "warning",
        summary: "Jobs of Mooring on {{ $labels.instance }} are late",
        description: "A job of the kind {{ $labels.kind }} has been due for {{ $value | humanizeDuration }}.",
        remedy:
          "A job should start within seconds. The page Instance shows under Jobs which run. A run that hangs keeps its place: look for the cause in the log, and restart the server if it does not end. With several servers, check that at least one of them runs jobs.",
        test: {
          bad: { 'mooring_job_oldest_due_seconds{kind="webhook.hand_on"}': "0x4 1000+60x20" },
          good: { 'mooring_job_oldest_due_seconds{kind="webhook.hand_on"}': "0x4 800x20" },
          quietAt: "8m",
          firesAt: "12m",
          labels: { kind: "webhook.hand_on" },
          value: "23m 40s",
        },
      },
    ],
  },
  mooring_job_attempts_max: {
    type: "gauge",
    help: "The most failed attempts in a row of a job that waits",
    labels: { kind: KINDS },
    alerts: [
      {
        name: "MooringJobsFail",
        group: "work",
        expression: "mooring_job_attempts_max > 5",
        for: "5m",
        severity: "warning",
        summary: "A job of Mooring on {{ $labels.instance }} fails again and again",
        description: "A job of the kind {{ $labels.kind }} has failed {{ $value }} times in a row.",
        remedy:
          "The page Instance shows the last error under Jobs. For deliveries (`webhook.hand_on`, `alert.deliver`, `s3.deliver`, `mail`), the receiver refuses or does not answer: the page of the webhook, the alert or the bucket shows its answer, and can pause the destination. Other kinds are a fault of the server: report the lines `a job failed` of the log.",
        page: "job-crashes",
        problem: {
          text: "A job of the kind {kind} fails again and again.",
          metric: "mooring_job_attempts_max",
          holds: (value) => value > 5,
        },
        test: {
          bad: { 'mooring_job_attempts_max{kind="s3.deliver"}': "0x4 7x20" },
          good: { 'mooring_job_attempts_max{kind="s3.deliver"}': "0x4 5x20" },
          quietAt: "8m",
          firesAt: "12m",
          labels: { kind: "s3.deliver" },
          value: "7",
        },
      },
    ],
  },
  mooring_webhook_destinations_failed: {
    type: "gauge",
    help: "Destinations of webhooks that accept nothing: five deliveries in a row failed, or the server has stopped them",
    alerts: [
      {
        name: "MooringDeliveriesStuck",
        group: "work",
        expression: "mooring_webhook_destinations_failed > 0",
        for: "15m",
        severity: "warning",
        summary: "Deliveries of Mooring on {{ $labels.instance }} are stuck",
        description: "{{ $value }} destinations of webhooks accept nothing. Their events are kept and wait.",
        remedy: "The receiver refuses or does not answer. Find it, repair it, and send the events again.",
        page: "deliveries-stuck",
        problem: {
          text: "A destination of a webhook accepts nothing. Its events are kept and wait.",
          metric: "mooring_webhook_destinations_failed",
          holds: (value) => value > 0,
        },
        test: {
          bad: { mooring_webhook_destinations_failed: "0x4 2x30" },
          good: { mooring_webhook_destinations_failed: "0x4 2x10 0x30" },
          quietAt: "18m",
          firesAt: "25m",
          value: "2",
        },
      },
    ],
  },
  mooring_periodic_failed: {
    type: "gauge",
    help: "1 if the last run of periodic work on this server failed",
    labels: { name: PERIODIC },
    alerts: [
      {
        name: "MooringPeriodicWorkFails",
        group: "work",
        expression: "mooring_periodic_failed == 1",
        for: "30m",
        severity: "warning",
        summary: "Periodic work of Mooring on {{ $labels.instance }} fails",
        description: "The last runs of {{ $labels.name }} failed.",
        remedy:
          'The page Instance shows the error of the last run under Jobs, and what the work is for. Correct the cause, and use "Run now".',
        test: {
          bad: { 'mooring_periodic_failed{name="content"}': "0x4 1x60" },
          good: { 'mooring_periodic_failed{name="content"}': "0x4 1x20 0 1x20" },
          quietAt: "33m",
          firesAt: "40m",
          labels: { name: "content" },
        },
      },
    ],
  },
  mooring_periodic_running_seconds: {
    type: "gauge",
    help: "For how long the present run of periodic work has lasted; 0 if none is under way",
    labels: { name: PERIODIC },
    alerts: [
      {
        name: "MooringPeriodicWorkHangs",
        group: "work",
        expression: "mooring_periodic_running_seconds > 6 * 3600",
        for: "5m",
        severity: "warning",
        summary: "Periodic work of Mooring on {{ $labels.instance }} does not end",
        description: "{{ $labels.name }} has been running for {{ $value | humanizeDuration }}.",
        remedy:
          "No periodic work takes six hours, except the first garbage collection of very many objects and a large backup. Look at the load of disk and database. If nothing happens there, the run hangs: restart the server, and report it with the log.",
        test: {
          bad: { 'mooring_periodic_running_seconds{name="content"}': "21000+60x60" },
          good: { 'mooring_periodic_running_seconds{name="content"}': "3000+60x60" },
          quietAt: "14m",
          firesAt: "20m",
          labels: { name: "content" },
          value: "6h 10m 0s",
        },
      },
    ],
  },
} as const satisfies Readonly<Record<string, Family>>;
