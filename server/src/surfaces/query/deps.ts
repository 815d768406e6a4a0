import type { HttpHost } from "#http/index.ts";
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
}
