export { appendAuthChange, type AuthChange } from "./append.ts";
export { ChangeFeed, type ChangeListener } from "./feed.ts";
export { lastAccessChange, type ChangeKind, type ChangeRow } from "./store.ts";
