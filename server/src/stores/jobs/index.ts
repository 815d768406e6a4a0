export type { NewJob, Job, JobOutcome, JobHandler, Jobs } from "./types.ts";
export { CLAIMS_MAX, countParked, jobKinds, unparkJobs } from "./store.ts";
export { createJobs, type JobsOptions } from "./jobs.ts";
