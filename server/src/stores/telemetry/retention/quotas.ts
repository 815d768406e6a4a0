import { Problem } from "#kernel/problem.ts";
import type { Clock } from "#kernel/time.ts";
import type { Table } from "../hot/table.ts";
import type { IngestRate, Policies } from "./policies.ts";
import { storedBytes } from "./usage.ts";

export interface QuotasOptions {
  readonly policies: Pick<Policies, "of">;
  readonly tables: { ofOrganization(orgId: string): readonly Table[] };
  readonly clock: Clock;
}

interface Bucket {
  tokens: number;
  atMs: number;
}

/** Retention, an erasure or the operator frees space, which takes minutes or longer. */
const STORED_RETRY_S = 300;

/**
 * Limits how much an organization stores and sends. A request is accepted or refused as a whole, before its body is read,
 * and charged for its actual size. So the rate is an average, and no request is accepted in part.
 */
export class Quotas {
  readonly #options: QuotasOptions;
  /** Organizations with a rate limit. The balance is negative after requests that were larger than the remaining allowance. */
  readonly #buckets = new Map<string, Bucket>();

  constructor(options: QuotasOptions) {
    this.#options = options;
  }

  /** @throws Problem `quota_exceeded`, with `Retry-After` */
  admit(orgId: string): void {
    const { policies, tables } = this.#options;
    const { storedBytesMax, ingest } = policies.of(orgId);
    if (storedBytesMax !== null) {
      const bytes = storedBytes(tables.ofOrganization(orgId));
      if (bytes >= storedBytesMax) throw storedExceeded(bytes, storedBytesMax);
    }
    if (ingest === null) return;
    const { tokens } = this.#refilled(orgId, ingest);
    if (tokens <= 0) throw rateExceeded(ingest, tokens);
  }

  /** Counts what an organization has sent. */
  charge(orgId: string, bytes: number): void {
    const { ingest } = this.#options.policies.of(orgId);
    if (ingest === null) this.#buckets.delete(orgId);
    else this.#refilled(orgId, ingest).tokens -= bytes;
  }

  #refilled(orgId: string, { bytesPerSecond, burstBytes }: IngestRate): Bucket {
    const nowMs = this.#options.clock.nowMs();
    const bucket = this.#buckets.get(orgId) ?? { tokens: burstBytes, atMs: nowMs };
    const elapsedS = Math.max(0, nowMs - bucket.atMs) / 1000;
    bucket.tokens = Math.min(burstBytes, bucket.tokens + elapsedS * bytesPerSecond);
    bucket.atMs = nowMs;
    this.#buckets.set(orgId, bucket);
    return bucket;
  }
}

function storedExceeded(bytes: number, bytesMax: number): Problem {
  const detail =
    `The organization's telemetry takes ${bytes} bytes, and its quota is ${bytesMax} bytes; nothing of this request was kept. ` +
    "Shorten the retention (PATCH /v1/telemetry/settings), or ask the operator for a larger quota.";
  const limit = { name: "stored_bytes_max", max: bytesMax, value: bytes, untilMs: null };
  return new Problem("quota_exceeded", detail, { retryAfterS: STORED_RETRY_S, facts: () => ({ limit }) });
}

/** The allowance is in bytes. */
function rateExceeded({ bytesPerSecond, burstBytes }: IngestRate, tokens: number): Problem {
  const afterS = Math.max(1, Math.ceil((1 - tokens) / bytesPerSecond));
  const windowS = Math.max(1, Math.ceil(burstBytes / bytesPerSecond));
  const detail =
    `The organization sends more than ${bytesPerSecond} bytes a second; nothing of this request was kept. ` +
    `Send it again after ${afterS} s, or ask the operator for a larger quota.`;
  return new Problem("quota_exceeded", detail, {
    retryAfterS: afterS,
    allowance: { name: "ingest-bytes", most: burstBytes, windowS },
  });
}
