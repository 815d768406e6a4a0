import type { Surface } from "#http/index.ts";
import { mountFiles } from "./routes.ts";
import type { FilesSurfaceDeps } from "./deps.ts";

export function createFilesSurface(deps: FilesSurfaceDeps): Surface {
  return { name: "files", mount: (app) => mountFiles(app, deps) };
}
