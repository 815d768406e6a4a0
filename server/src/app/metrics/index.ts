export { startProcessMetrics } from "./process.ts";
export { readStores } from "./stores.ts";
