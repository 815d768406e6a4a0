import type { Surface } from "#http/index.ts";
import { mountBuckets } from "./routes.ts";
import type { BucketsSurfaceDeps } from "./deps.ts";

export type { GatewayLink } from "./deps.ts";
/** The objects of buckets as people see them, as JSON; content goes by the gateway. */
export function createBucketsSurface(deps: BucketsSurfaceDeps): Surface {
  return { name: "buckets", mount: (app) => mountBuckets(app, deps) };
}
