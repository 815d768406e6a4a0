import type { Surface } from "#http/index.ts";
import type { OauthSurfaceDeps } from "./deps.ts";
import { mountRoutes } from "./routes.ts";

/** The authorization server: tokens, and the metadata and keys for clients and verifiers. */
export function createOauthSurface(deps: OauthSurfaceDeps): Surface {
  return { name: "oauth", mount: (app) => mountRoutes(app, deps) };
}
