import type { Clock } from "#kernel/time.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import { createEnvelope, type Envelope } from "./envelope.ts";
import { KeyRing } from "./keyring.ts";
import { openMasters, type MastersOptions } from "./masters.ts";

export interface TestRingOptions extends Partial<MastersOptions> {
  readonly metadata: MetadataStore;
  readonly clock: Clock;
  readonly dataDir: string;
  readonly derivedFrom?: string | undefined;
}

/** Opens the key ring of a database, without signing keys. */
export async function openTestRing({ metadata, clock, derivedFrom, ...options }: TestRingOptions): Promise<KeyRing> {
  const masters = await openMasters({ referencedId: undefined, ...options });
  return KeyRing.open({ metadata, clock, masters, derivedFrom });
}

export async function openTestEnvelope(options: TestRingOptions): Promise<Envelope> {
  return createEnvelope({ ring: await openTestRing(options), nowMs: () => options.clock.nowMs() });
}
