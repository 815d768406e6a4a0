import type { QUERY_ROUTES, RUNNING_QUERY_ROUTES, SAVED_QUERY_ROUTES } from "@mooring/contract";
import type { HttpHost, Operation } from "#http/index.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import type { TelemetryStore } from "#stores/telemetry/index.ts";

export interface QueryLimits {
  readonly timeoutMs: number;
  readonly timeoutMsMax: number;
  readonly rowsMax: number;
  readonly memoryBytesMax: number;
}

export interface QuerySurfaceDeps {
  readonly host: HttpHost;
  readonly metadata: MetadataStore;
  readonly store: TelemetryStore;
  readonly limits: QueryLimits;
  /** The id of this node in the records. */
  readonly nodeId: string;
}

type Rows = typeof QUERY_ROUTES & typeof RUNNING_QUERY_ROUTES & typeof SAVED_QUERY_ROUTES;

export type QueryOperation<Name extends keyof Rows> = Operation<QuerySurfaceDeps, Rows[Name]>;
