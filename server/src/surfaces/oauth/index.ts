import type { Surface } from "#http/index.ts";
import { mountRoutes, type OauthDeps } from "./routes.ts";

/** The authorization server: tokens, and what clients and other verifiers need to know about them. */
export function createOauthSurface(deps: OauthDeps): Surface {
  return { name: "oauth", mount: (app) => mountRoutes(app, deps) };
}
