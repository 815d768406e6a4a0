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

/** Space becomes free by retention, an erasure or the operator, which takes minutes or more. */
const STORED_RETRY_S = 300;

/**
 * The limits on an organization's storage and sending. A request is admitted or refused as a whole, before it is read,
 * and charged for its actual size: so a rate is an average, and no request is ever accepted in part.
 */
export class Quotas {
  readonly #options: QuotasOptions;
  /** Organizations with a limit. A negative value is used credit. */
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
    `The organization's telemetry takes ${bytes} of the ${bytesMax} bytes that it may; nothing of this request was kept. ` +
    "Keep it for fewer days (PATCH /v1/telemetry/settings), or ask the operator for more.";
  return new Problem("quota_exceeded", detail, { retryAfterS: STORED_RETRY_S });
}

/** The allowance is in bytes. */
function rateExceeded({ bytesPerSecond, burstBytes }: IngestRate, tokens: number): Problem {
  const afterS = Math.max(1, Math.ceil((1 - tokens) / bytesPerSecond));
  const windowS = Math.max(1, Math.ceil(burstBytes / bytesPerSecond));
  const detail =
    `The organization sends more than ${bytesPerSecond} bytes a second; nothing of this request was kept. ` +
    `Send it again after ${afterS} s, or ask the operator for more.`;
  return new Problem("quota_exceeded", detail, {
    retryAfterS: afterS,
    allowance: { name: "ingest-bytes", most: burstBytes, windowS },
  });
}
