export { openLifecycle, type Lifecycle } from "./lifecycle.ts";
export { ACCESS_LOG_SAMPLE, behindDaysOf, type AcceptedTimes, type AccessLogPolicy, type Policy } from "./policies.ts";
export { MATCHABLE, type ErasureMatch } from "./predicate.ts";
export type { RetentionSettings } from "./settings.ts";
export type { Usage } from "./usage.ts";
