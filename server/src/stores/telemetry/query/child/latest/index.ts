export { boundStatement, latestRows, type LatestRows } from "./statement.ts";
export { newestFiles, since } from "./window.ts";
