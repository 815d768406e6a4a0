import type { Clock } from "#kernel/time.ts";

interface Bucket {
  tokens: number;
  atMs: number;
}

interface Rate {
  readonly burst: number;
  readonly perSecond: number;
}

const ORGANIZATION = { burst: 2_000, perSecond: 50 } as const;
const NAMED = { burst: 120, perSecond: 2 } as const;
const INSTANCE = { burst: 10_000, perSecond: 200 } as const;
const BUCKETS_MAX = 10_000;

/** Limits the refused requests that are kept: of each organization, and of the server process. */
export class Budget {
  readonly #clock: Clock;
  readonly #all: Bucket;
  readonly #organizations = new Map<string, Bucket>();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#all = { tokens: INSTANCE.burst, atMs: clock.nowMs() };
  }

  /** Takes a token, and returns whether there was one. */
  take(orgId: string): boolean {
    return this.#take(orgId, ORGANIZATION);
  }

  /** The same for requests that only name a credential of the organization. Everybody can send them. */
  takeNamed(orgId: string): boolean {
    return this.#take(`named ${orgId}`, NAMED);
  }

  #take(key: string, rate: Rate): boolean {
    const nowMs = this.#clock.nowMs();
    const own = this.#organizations.get(key) ?? { tokens: rate.burst, atMs: nowMs };
    this.#organizations.delete(key); // Inserted again at the end, because the map keeps the order of use.
    this.#organizations.set(key, own);
    if (this.#organizations.size > BUCKETS_MAX) {
      const oldest = this.#organizations.keys().next();
      if (oldest.done !== true) this.#organizations.delete(oldest.value);
    }
    refill(own, rate, nowMs);
    refill(this.#all, INSTANCE, nowMs);
    if (own.tokens < 1 || this.#all.tokens < 1) return false;
    own.tokens -= 1;
    this.#all.tokens -= 1;
    return true;
  }
}

function refill(bucket: Bucket, { burst, perSecond }: Rate, nowMs: number): void {
  bucket.tokens = Math.min(burst, bucket.tokens + (Math.max(0, nowMs - bucket.atMs) / 1000) * perSecond);
  bucket.atMs = nowMs;
}
