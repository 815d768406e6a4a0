import type { FastifyBaseLogger } from "fastify";
import type { Identity } from "#domain/identity/index.ts";
import type { FATAL_PARTS } from "#kernel/metrics/index.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import type { TelemetryStore } from "#stores/telemetry/index.ts";

/** Parts that the server can't run without. */
export type FatalPart = (typeof FATAL_PARTS)[number];

interface Parts {
  readonly metadata: Pick<MetadataStore, "died">;
  readonly telemetry: Pick<TelemetryStore, "died">;
  readonly identity: Pick<Identity, "keys">;
  readonly log: FastifyBaseLogger;
}

/** Resolves to the first part that fails, and logs it. On PostgreSQL there is no writer that can fail. */
export async function fatalOf({ metadata, telemetry, identity, log }: Parts): Promise<FatalPart> {
  const named = async (part: FatalPart, death: Promise<Error>): Promise<{ part: FatalPart; err: Error }> => ({
    part,
    err: await death,
  });
  const { part, err } = await Promise.race([
    ...(metadata.died === undefined ? [] : [named("records writer", metadata.died)]),
    named("telemetry log", telemetry.died),
    named("key store", identity.keys.died),
  ]);
  log.fatal({ err, part }, "an essential part has failed, so the server stops");
  return part;
}
