import type { Surface } from "#http/index.ts";
import type { OrganizationSurfaceDeps, UsageSurfaceDeps } from "./deps.ts";
import { mountOrganization, mountUsage } from "./routes.ts";

export function createOrganizationSurface(deps: OrganizationSurfaceDeps): Surface {
  return { name: "organization", mount: (app) => mountOrganization(app, deps) };
}

export type { UsageSurfaceDeps } from "./deps.ts";
export function createUsageSurface(deps: UsageSurfaceDeps): Surface {
  return { name: "organization", mount: (app) => mountUsage(app, deps) };
}
