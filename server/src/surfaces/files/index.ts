import type { Arrivals, FilesDeps } from "#domain/files/index.ts";
import type { HttpHost, Surface } from "#http/index.ts";
import { mountFiles } from "./routes.ts";

export interface FilesSurfaceDeps extends FilesDeps {
  readonly host: HttpHost;
  /** Null where uploads come to this server. */
  readonly arrivals: Arrivals | null;
  /** An upload from which nothing comes for so long is ended. */
  readonly uploadIdleTimeoutMs: number;
}

export function createFilesSurface(deps: FilesSurfaceDeps): Surface {
  return { name: "files", mount: (app) => mountFiles(app, deps) };
}
