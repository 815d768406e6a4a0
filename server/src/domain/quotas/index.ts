export type { Usage } from "./kinds.ts";
export { bytesLeft, requireQuota, reserveQuota, setStoredQuota, type Quota } from "./quotas.ts";
export { addUsage, storedQuotaAhead, storedQuotaOf, storedQuotas, usageOf, usageRows } from "./store.ts";
