import type { HttpHost } from "#http/index.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import type { TelemetryStore } from "#stores/telemetry/index.ts";
import type { Tails } from "./tail/tails.ts";
import type { EncoderPool } from "./wire/pool.ts";

export interface TelemetrySurfaceDeps {
  readonly host: HttpHost;
  readonly store: TelemetryStore;
  readonly encoders: EncoderPool;
  readonly metadata: Pick<MetadataStore, "read">;
  readonly tails: Tails;
}
