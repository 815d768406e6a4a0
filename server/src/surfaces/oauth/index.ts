import type { Surface } from "#http/index.ts";
import type { OauthSurfaceDeps } from "./deps.ts";
import { mountRoutes } from "./routes.ts";

/** The authorization server: tokens, and what clients and other verifiers need to know about them. */
export function createOauthSurface(deps: OauthSurfaceDeps): Surface {
  return { name: "oauth", mount: (app) => mountRoutes(app, deps) };
}
