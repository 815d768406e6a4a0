import type { Surface } from "#http/index.ts";
import type { ApiSurfaceDeps } from "./deps.ts";
import { mountApi } from "./routes.ts";

export { API_PARTS, API_VERSION } from "./parts.ts";

/** The description of the JSON API, for programs that read OpenAPI. */
export function createApiSurface(deps: ApiSurfaceDeps): Surface {
  return { name: "api", mount: (app) => mountApi(app, deps) };
}
