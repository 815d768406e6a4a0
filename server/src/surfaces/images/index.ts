import type { GuardedClock } from "#kernel/deletions.ts";
import type { RegistryDeps } from "#domain/registry/index.ts";
import type { HttpHost, Surface } from "#http/index.ts";
import { mountImages } from "./routes.ts";

export interface ImagesSurfaceDeps extends RegistryDeps {
  readonly clock: GuardedClock;
  readonly host: HttpHost;
}

/** What people look at and decide about container images, as JSON; images themselves go by the registry. */
export function createImagesSurface(deps: ImagesSurfaceDeps): Surface {
  return { name: "images", mount: (app) => mountImages(app, deps) };
}
