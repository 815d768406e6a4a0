export { openLifecycle, type Lifecycle } from "./lifecycle.ts";
export { behindDaysOf, type AcceptedTimes, type Policy } from "./policies.ts";
export { MATCHABLE, type ErasureMatch } from "./predicate.ts";
export type { RetentionSettings } from "./settings.ts";
export type { Usage } from "./usage.ts";
