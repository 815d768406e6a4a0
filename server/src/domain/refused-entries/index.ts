export { RefusedEntries, type EntrySample, type RefusedBatch, type RefusedReason } from "./refused-entries.ts";
export { refusedSums, type RefusedSum } from "./store.ts";
