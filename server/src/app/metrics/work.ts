import { countFailedDestinations } from "#domain/delivery/index.ts";
import type { Metrics } from "#kernel/metrics/index.ts";
import type { Clock } from "#kernel/time.ts";
import { jobFigures, type JobFigures, type Schedule } from "#stores/jobs/index.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";

const MS_PER_S = 1000;

interface Worked {
  readonly metadata: Pick<MetadataStore, "read">;
  readonly clock: Clock;
  readonly schedule: Pick<Schedule, "list">;
}

/** Lets each scrape read the queue and the periodic work. */
export function readWork(metrics: Metrics, { metadata, clock, schedule }: Worked): void {
  let reading: Promise<JobFigures[]> | undefined;
  // The families of one scrape share a statement.
  const figures = (): Promise<JobFigures[]> =>
    (reading ??= jobFigures(metadata.read).finally(() => {
      reading = undefined;
    }));
  const each = async (valueOf: (figures: JobFigures) => number): Promise<[{ kind: string }, number][]> =>
    (await figures()).map((of) => [{ kind: of.kind }, valueOf(of)]);
  metrics.read("mooring_jobs_waiting", () => each(({ waiting }) => waiting));
  metrics.read("mooring_job_attempts_max", () => each(({ attemptsMax }) => attemptsMax));
  metrics.read("mooring_job_oldest_due_seconds", () =>
    each(({ dueAtMs }) => Math.max(0, clock.nowMs() - dueAtMs) / MS_PER_S),
  );
  metrics.read("mooring_webhook_destinations_failed", () => countFailedDestinations(metadata.read));
  // Work of the queue is in the families above.
  const onEachNode = () => schedule.list().filter(({ on }) => on === "each node");
  metrics.read("mooring_periodic_failed", () =>
    onEachNode().map(({ name, last }) => [{ name }, (last?.failure ?? null) === null ? 0 : 1]),
  );
  metrics.read("mooring_periodic_running_seconds", () =>
    onEachNode().map(({ name, runningSinceMs }) => [
      { name },
      runningSinceMs === null ? 0 : Math.max(0, clock.nowMs() - runningSinceMs) / MS_PER_S,
    ]),
  );
}
