import type { Arrivals, FilesDeps } from "#domain/files/index.ts";
import type { HttpHost } from "#http/index.ts";

export interface FilesSurfaceDeps extends FilesDeps {
  readonly host: HttpHost;
  /** Null where uploads come to this server. */
  readonly arrivals: Arrivals | null;
  /** An upload from which nothing comes for so long is ended. */
  readonly uploadIdleTimeoutMs: number;
}
