import type { Surface } from "#http/index.ts";
import { mountTelemetry } from "./routes.ts";
import type { TelemetrySurfaceDeps } from "./deps.ts";

export { createTails, type Tails } from "./tail/tails.ts";

export { createEncoderPool, type EncoderPool } from "./wire/pool.ts";

export function createTelemetrySurface(deps: TelemetrySurfaceDeps): Surface {
  return { name: "telemetry", mount: (app) => mountTelemetry(app, deps) };
}
