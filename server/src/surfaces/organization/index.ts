import type { Surface } from "#http/index.ts";
import { mountOrganization } from "./routes.ts";
import type { OrganizationSurfaceDeps } from "./deps.ts";

export function createOrganizationSurface(deps: OrganizationSurfaceDeps): Surface {
  return { name: "organization", mount: (app) => mountOrganization(app, deps) };
}
