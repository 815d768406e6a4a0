import type { Surface } from "#http/index.ts";
import { mountUsage } from "./routes.ts";
import type { UsageSurfaceDeps } from "./deps.ts";

export type { UsageSurfaceDeps } from "./deps.ts";
export function createUsageSurface(deps: UsageSurfaceDeps): Surface {
  return { name: "usage", mount: (app) => mountUsage(app, deps) };
}
