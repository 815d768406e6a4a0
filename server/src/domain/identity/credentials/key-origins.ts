import type { ChangeFeed } from "#domain/identity/changes/index.ts";
import type { Clock } from "#kernel/time.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import { allowsOrigin } from "./origins.ts";
import { keyOrigins } from "./store.ts";

/** A new key is seen after this time, if its origin was refused before. */
const AGE_MS_MAX = 1_000;

interface Entry {
  readonly orgId: string;
  readonly origins: readonly string[];
}

/**
 * The origins of web pages that ingest keys name, for answers of the CORS protocol: a preflight has no key. In memory, until
 * a credential changes.
 */
export class KeyOrigins {
  readonly #metadata: Pick<MetadataStore, "read">;
  readonly #clock: Clock;
  #read: { readonly entries: Promise<readonly Entry[]>; readonly atMs: number } | undefined;

  constructor(metadata: Pick<MetadataStore, "read">, clock: Clock, feed: Pick<ChangeFeed, "subscribe">) {
    this.#metadata = metadata;
    this.#clock = clock;
    const forget = (): void => (this.#read = undefined);
    feed.subscribe({ apply: forget, reset: forget });
  }

  /** Whether a key of any organization names the origin. */
  isAllowed(origin: string): Promise<boolean> {
    return this.#some(({ origins }) => allowsOrigin(origins, origin));
  }

  isAllowedBy(orgId: string, origin: string): Promise<boolean> {
    return this.#some((entry) => entry.orgId === orgId && allowsOrigin(entry.origins, origin));
  }

  async #some(test: (entry: Entry) => boolean): Promise<boolean> {
    if (this.#read !== undefined && (await this.#read.entries).some(test)) return true;
    const nowMs = this.#clock.nowMs();
    if (this.#read !== undefined && Math.abs(nowMs - this.#read.atMs) < AGE_MS_MAX) return false;
    const entries = keyOrigins(this.#metadata.read);
    const read = (this.#read = { entries, atMs: nowMs });
    entries.catch(() => {
      if (this.#read === read) this.#read = undefined;
    });
    return (await entries).some(test);
  }
}
