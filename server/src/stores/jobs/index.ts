export type { NewJob, Job, JobOutcome, JobHandler, Jobs } from "./types.ts";
export {
  countParked,
  jobFigures,
  jobKinds,
  lastRunOfKind,
  makeKindDue,
  unparkJobs,
  wakeGroup,
  type JobFigures,
} from "./store.ts";
export { createJobs, type JobsOptions } from "./jobs.ts";
export { PERIODIC_WORK, QUEUE_KINDS, type PeriodicRow, type WorkName } from "./periodic.ts";
export { Schedule, type ScheduledWork, type WorkOptions, type WorkState } from "./schedule.ts";
