import { DELETIONS, type Deletion } from "../../deletions.ts";
import type { Family } from "../family.ts";

const DELETION_NAMES = Object.keys(DELETIONS) as Deletion[];

export const WORK = {
  mooring_jobs_parked: {
    type: "gauge",
    help: "Jobs that ended their server several times in a row, and wait for the operator",
    alerts: [
      {
        name: "MooringJobsParked",
        group: "work",
        expression: "mooring_jobs_parked > 0",
        for: "5m",
        severity: "warning",
        summary: "Mooring on {{ $labels.instance }} has parked jobs",
        description: "{{ $value }} jobs ended their server five times in a row, and wait for the operator.",
        remedy:
          'A job ended its server five times in a row, and is not started again. The page Instance has it under Jobs, with the last error. Report the error, and use "Run now" after the cause is gone.',
        page: "job-crashes",
        problem: {
          text: "A job was parked, because several runs in a row ended their server.",
          metric: "mooring_jobs_parked",
          holds: (value) => value > 0,
        },
        test: {
          bad: { mooring_jobs_parked: "0x4 2x30" },
          good: { mooring_jobs_parked: "0x34" },
          quietAt: "9m",
          firesAt: "12m",
          value: "2",
        },
      },
    ],
  },
  mooring_deletions_held: {
    type: "gauge",
    help: "1 while the clock is in doubt and nothing is deleted by time",
    alerts: [
      {
        name: "MooringDeletionsHeld",
        group: "work",
        expression: "mooring_deletions_held == 1",
        for: "15m",
        severity: "warning",
        summary: "Mooring on {{ $labels.instance }} deletes nothing by time",
        description:
          "The clock is in doubt, so retention, trash and rules wait. Stored data grows until the clock is corrected or accepted.",
        remedy:
          "The clock is in doubt, so nothing is deleted by time. `mooring clock` shows the reason. [A clock that is wrong](operations.md#a-clock-that-is-wrong) has the steps: correct it, or accept it.",
        test: {
          bad: { mooring_deletions_held: "0x4 1x30" },
          good: { mooring_deletions_held: "0x4 1x5 0x25" },
          quietAt: "19m",
          firesAt: "22m",
        },
      },
    ],
  },
  mooring_deletions_held_total: {
    type: "counter",
    help: "Deletions by time that were held because the clock was in doubt",
    labels: { deletion: DELETION_NAMES },
  },
  mooring_clock_offset_seconds: {
    type: "gauge",
    help: "How far the clock has moved ahead of real time since the start",
    alerts: [
      {
        name: "MooringClockAhead",
        group: "work",
        expression: "abs(mooring_clock_offset_seconds) > 60",
        for: "5m",
        severity: "warning",
        summary: "The clock of {{ $labels.instance }} jumped",
        description:
          "Since the start it moved {{ $value | humanizeDuration }} more or less than real time. Tokens and signatures may be refused.",
        remedy:
          "The clock moved more than a minute ahead of, or behind, real time since the server's start. Check the time service of the machine (`timedatectl`). Tokens, signatures and deletions depend on the clock.",
        page: "clock-ahead",
        problem: {
          text: "The clock of the server jumped. Deletions wait if it is in doubt.",
          metric: "mooring_clock_offset_seconds",
          holds: (value) => Math.abs(value) > 60,
        },
        test: {
          bad: { mooring_clock_offset_seconds: "0x4 -90x30" },
          good: { mooring_clock_offset_seconds: "0x4 30x30" },
          quietAt: "9m",
          firesAt: "12m",
          value: "1m 30s",
        },
      },
    ],
  },
} as const satisfies Readonly<Record<string, Family>>;
