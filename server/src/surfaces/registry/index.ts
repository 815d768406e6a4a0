import type { ErrorForm, Surface } from "#http/index.ts";
import { renderError, sendError } from "./errors.ts";
import { methodsOf, mountRegistry } from "./routes.ts";
import type { RegistrySurfaceDeps } from "./deps.ts";

export type { RegistrySurfaceDeps } from "./deps.ts";
export { Writers } from "./writers.ts";

/** Everything below `/v2` is refused in the form of the distribution specification. */
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
