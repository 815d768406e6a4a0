import { systemClock } from "#kernel/time.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import type { TestTelemetry } from "#stores/telemetry/testing/telemetry.ts";
import { createTails, type Tails } from "../index.ts";

const silent = { error: () => undefined };

/** Returns the surface's dependencies for live tails, over the stores of a test. */
export function tailDeps(
  { metadata, store }: TestTelemetry,
  organizationMax = 100,
): { readonly metadata: MetadataStore; readonly tails: Tails } {
  return { metadata, tails: createTails({ feed: store.feed, clock: systemClock, log: silent, organizationMax }) };
}
