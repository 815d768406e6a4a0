import type { ErrorForm, Surface } from "#http/index.ts";
import type { ImagesSurfaceDeps, RegistrySurfaceDeps } from "./deps.ts";
import { renderError, sendError } from "./errors.ts";
import { methodsOf, mountImages, mountRegistry } from "./routes.ts";

export type { RegistrySurfaceDeps } from "./deps.ts";
export { Writers } from "./writers.ts";
export { REGISTRY_ROUTES } from "./routes.ts";

/** Errors below `/v2` have the form of the distribution specification. */
const ERRORS: ErrorForm = {
  covers: (path) => path === "/v2" || path.startsWith("/v2/"),
  methodsOf,
  send: sendError,
  render: renderError,
};

/** Container images, by the distribution specification of OCI and Docker's registry interface. */
export function createRegistrySurface(deps: RegistrySurfaceDeps): Surface {
  return { name: "registry", mount: (app) => mountRegistry(app, deps), errors: ERRORS };
}

/** The JSON API of container images. Images themselves go through the registry. */
export function createImagesSurface(deps: ImagesSurfaceDeps): Surface {
  return { name: "registry", mount: (app) => mountImages(app, deps) };
}
