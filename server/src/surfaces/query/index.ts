import type { Surface } from "#http/index.ts";
import { mountQuery } from "./routes.ts";
import type { QuerySurfaceDeps } from "./deps.ts";

export type { QueryLimits } from "./deps.ts";
export function createQuerySurface(deps: QuerySurfaceDeps): Surface {
  return { name: "query", mount: (app) => mountQuery(app, deps) };
}
