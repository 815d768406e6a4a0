import type { FastifyReply } from "fastify";
import type { Problem } from "#kernel/problem.ts";
import type { Clock } from "#kernel/time.ts";
import { HttpProblem, rateLimitFields } from "./problems.ts";

export interface RateLimitOptions {
  /** Shown in the `RateLimit` fields, for example `credential`. */
  readonly name: string;
  readonly perSecond: number;
  readonly burst: number;
  readonly clock: Clock;
  /**
   * The most keys in memory. Beyond it, the key that was unused for the longest time is forgotten, so its next requests
   * are limited less.
   */
  readonly keysMax?: number;
}

export interface RateLimiter {
  /**
   * Takes one token and returns the number of tokens left.
   * @throws Problem `rate_limited` with `Retry-After` when there is none
   */
  take(key: string): number;
  /** The fields of draft-ietf-httpapi-ratelimit-headers for an answer. */
  fields(remaining: number): { "ratelimit-policy": string; ratelimit: string };
}

interface Bucket {
  tokens: number;
  atMs: number;
}

/** Creates token buckets in memory, one for each key. */
export function createRateLimiter(options: RateLimitOptions): RateLimiter {
  const { perSecond, burst, clock } = options;
  const keysMax = options.keysMax ?? 100_000;
  const buckets = new Map<string, Bucket>();
  const allowance = { name: options.name, most: burst, windowS: Math.max(1, Math.ceil(burst / perSecond)) };

  function fields(remaining: number): { "ratelimit-policy": string; ratelimit: string } {
    return rateLimitFields(allowance, remaining, Math.ceil((burst - remaining) / perSecond));
  }

  function take(key: string): number {
    const nowMs = clock.nowMs();
    const bucket = buckets.get(key) ?? { tokens: burst, atMs: nowMs };
    const refilled = Math.min(burst, bucket.tokens + (Math.max(0, nowMs - bucket.atMs) / 1000) * perSecond);
    buckets.delete(key); // Inserted again at the end, because the map keeps the order of use.
    buckets.set(key, { tokens: refilled < 1 ? refilled : refilled - 1, atMs: nowMs });
    if (buckets.size > keysMax) forgetOldest();
    if (refilled < 1) throw limited(Math.ceil((1 - refilled) / perSecond));
    return Math.floor(refilled - 1);
  }

  function forgetOldest(): void {
    const oldest = buckets.keys().next();
    if (oldest.done !== true) buckets.delete(oldest.value);
  }

  function limited(afterS: number): Problem {
    const retryAfter = String(Math.max(1, afterS));
    const detail = `Too many requests; try again after ${retryAfter} s.`;
    return new HttpProblem("rate_limited", detail, { "retry-after": retryAfter, ...fields(0) });
  }

  return { take, fields };
}

/**
 * Takes a token of a credential or person, and returns how many are left.
 * @throws Problem `rate_limited`, after marking the request for the counters
 */
export function takeToken(reply: FastifyReply, limiter: RateLimiter, key: string): void {
  try {
    sendRateLimitFields(reply, limiter, limiter.take(key));
  } catch (error) {
    reply.request.isLimited = true;
    throw error;
  }
}

export function sendRateLimitFields(reply: FastifyReply, limiter: RateLimiter, remaining: number): void {
  void reply.headers(limiter.fields(remaining));
}
