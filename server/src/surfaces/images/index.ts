import type { Surface } from "#http/index.ts";
import { mountImages } from "./routes.ts";
import type { ImagesSurfaceDeps } from "./deps.ts";

/** What people look at and decide about container images, as JSON; images themselves go by the registry. */
export function createImagesSurface(deps: ImagesSurfaceDeps): Surface {
  return { name: "images", mount: (app) => mountImages(app, deps) };
}
