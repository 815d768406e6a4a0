export { ConfigCache } from "../buckets/view.ts";
export { runLifecycle } from "../lifecycle/run.ts";
export { tidyHandler } from "../tidy.ts";
