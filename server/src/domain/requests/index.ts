export { RefusedRequests } from "./log.ts";
export { findRefused, keptSince, listRefused, type RequestReadDeps, type SeenRequest } from "./read.ts";
export type { RequestRecord } from "./record.ts";
export { scheduleRequestTidying, tidyRequests, tidyRequestsHandler } from "./tidy.ts";
