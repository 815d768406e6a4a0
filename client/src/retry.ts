import { ApiError, UnreachableError } from "./errors.ts";

const RETRY = { firstMs: 200, maxMs: 5000 };
const ATTEMPTS_MAX = 4;
/** A request with a longer `Retry-After` fails at once instead of waiting. */
const RETRY_AFTER_MS_MAX = 30_000;
const TRANSIENT: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/**
 * The retries that all calls share. A retry takes one from the budget, and a success returns a part of one. While a
 * server is down, most calls fail at their first attempt, so retries don't multiply its load.
 */
export interface RetryBudget {
  /** Returns false if the budget is empty. */
  take(): boolean;
  succeeded(): void;
}

export interface RetryBudgetOptions {
  /** The most retries without a success between them. */
  readonly max: number;
  /** The part of a retry that a success returns. */
  readonly perSuccess: number;
}

const BUDGET: RetryBudgetOptions = { max: 20, perSuccess: 0.1 };

export function retryBudget({ max, perSuccess }: RetryBudgetOptions = BUDGET): RetryBudget {
  let left = max;
  return {
    take: () => {
      if (left < 1) return false;
      left -= 1;
      return true;
    },
    succeeded: () => void (left = Math.min(max, left + perSuccess)),
  };
}

/** Retries temporary failures: no answer, or the answer that the server is unavailable. */
export async function withRetries<T>(
  attempt: () => Promise<T>,
  { signal, budget }: { readonly signal: AbortSignal | undefined; readonly budget: RetryBudget },
): Promise<T> {
  for (let failed = 1; ; failed++) {
    try {
      const result = await attempt();
      budget.succeeded();
      return result;
    } catch (error) {
      const waitMs = failed < ATTEMPTS_MAX ? retryDelayMs(error, failed, RETRY) : null;
      if (waitMs === null || waitMs > RETRY_AFTER_MS_MAX || !budget.take()) throw error;
      await pause(waitMs, signal);
    }
  }
}

/**
 * Returns the wait after `attempts` failed attempts (1 or more); null if a retry can't succeed. The wait doubles and is
 * at least `Retry-After`. Half of it is random, so that many clients don't retry at once.
 */
export function retryDelayMs(
  error: unknown,
  failed: number,
  { firstMs, maxMs }: { readonly firstMs: number; readonly maxMs: number },
): number | null {
  const backoffMs = Math.min(maxMs, firstMs * 2 ** (failed - 1));
  const jitteredMs = backoffMs / 2 + (Math.random() * backoffMs) / 2;
  if (error instanceof UnreachableError) return jitteredMs;
  if (!(error instanceof ApiError) || !isTransient(error)) return null;
  return Math.max(error.retryAfterMs ?? 0, jitteredMs);
}

function isTransient({ status, code }: ApiError): boolean {
  return TRANSIENT.has(status) || code === "idempotency_in_progress";
}

/** Waits. Rejects with the signal's reason if the signal is aborted first. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const aborted = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", aborted);
      resolve();
    }, ms);
    signal?.addEventListener("abort", aborted, { once: true });
  });
}
