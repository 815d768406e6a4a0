export { DAY_MS, UsageCounts, type CountedUse, type Scan } from "./counts.ts";
export { deleteOldUsage, measureUsage, measureUsageHandler, scheduleUsage } from "./measure.ts";
export { usageRecords } from "./records.ts";
export {
  addUsageRows,
  usageSums,
  type Dimension,
  type Grouping,
  type UsageFilter,
  type UsageKey,
  type UsageRow,
  type UsageSum,
} from "./store.ts";
