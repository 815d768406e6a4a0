export { openLifecycle, type Lifecycle } from "./lifecycle.ts";
export { ACCESS_LOG_SAMPLE, behindDaysOf, type AcceptedTimes, type AccessLogPolicy, type Policy } from "./policies.ts";
export { MATCHABLE, predicateSql, whereSql, type ErasedTable, type ErasureMatch, type Predicate } from "./predicate.ts";
export type { EraseRecords } from "./erasure-jobs.ts";
export {
  choiceOf,
  formerOf,
  isSameChoice,
  RULE_MEMBERS,
  type FormerChoice,
  type RetentionChoice,
  type RetentionRule,
} from "./plans.ts";
export type { RetentionSettings } from "./settings.ts";
export type { Usage } from "./usage.ts";
