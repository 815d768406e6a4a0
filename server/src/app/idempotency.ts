import { createIdempotency, type Idempotency } from "#domain/idempotency/index.ts";
import type { Identity } from "#domain/identity/index.ts";
import type { GuardedClock } from "#kernel/deletions.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import type { Config } from "./config.ts";

/** A claim must outlast every transaction that can still record its answer. */
export function openIdempotency(
  config: Pick<Config, "database_wait_ms">,
  metadata: MetadataStore,
  { envelope }: Pick<Identity, "envelope">,
  clock: GuardedClock,
): Idempotency {
  return createIdempotency({ metadata, clock, envelope, claimMs: 12 * config.database_wait_ms });
}
