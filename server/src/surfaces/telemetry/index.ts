import type { HttpHost, Surface } from "#http/index.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import type { TelemetryStore } from "#stores/telemetry/index.ts";
import { mountTelemetry } from "./routes.ts";
import type { Tails } from "./tail/tails.ts";
import type { EncoderPool } from "./wire/pool.ts";

export { createTails, type Tails } from "./tail/tails.ts";
export { createEncoderPool, type EncoderPool } from "./wire/pool.ts";

export interface TelemetrySurfaceDeps {
  readonly host: HttpHost;
  readonly store: TelemetryStore;
  readonly encoders: EncoderPool;
  readonly metadata: Pick<MetadataStore, "read">;
  readonly tails: Tails;
}

export function createTelemetrySurface(deps: TelemetrySurfaceDeps): Surface {
  return { name: "telemetry", mount: (app) => mountTelemetry(app, deps) };
}
