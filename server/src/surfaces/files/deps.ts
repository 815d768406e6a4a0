import type { FILE_ROUTES } from "@mooring/contract";
import type { Arrivals, FilesDeps } from "#domain/files/index.ts";
import type { HttpHost, Operation } from "#http/index.ts";

export interface FilesSurfaceDeps extends FilesDeps {
  readonly host: HttpHost;
  /** Null if uploads come to this server. */
  readonly arrivals: Arrivals | null;
  /** An upload that receives no byte for this time is ended. */
  readonly uploadIdleTimeoutMs: number;
}

export type FileOperation<Name extends keyof typeof FILE_ROUTES> = Operation<
  FilesSurfaceDeps,
  (typeof FILE_ROUTES)[Name]
>;
