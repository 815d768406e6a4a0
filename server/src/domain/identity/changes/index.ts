export { appendAuthChange, type AuthChange } from "./append.ts";
export { ChangeFeed, type ChangeListener } from "./feed.ts";
export type { ChangeKind, ChangeRow } from "./store.ts";
