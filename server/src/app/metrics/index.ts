export { readBackups } from "./backups.ts";
export { startProcessMetrics } from "./process.ts";
export { readStores } from "./stores.ts";
