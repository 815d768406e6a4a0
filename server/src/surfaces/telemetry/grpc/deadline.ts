import { Problem } from "#kernel/problem.ts";

/** Milliseconds of each unit of `grpc-timeout` (gRPC over HTTP2, "TimeoutUnit"). */
const UNIT_MS: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1000, m: 1, u: 1e-3, n: 1e-6 };
/** The longest time of a timer of Node. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/** Parses `grpc-timeout`; undefined: the caller waits without a limit. @throws Problem `invalid_request` */
export function timeoutMsOf(field: string | undefined): number | undefined {
  if (field === undefined) return undefined;
  const match = /^(\d{1,8})([HMSmun])$/.exec(field);
  if (match === null) throw new Problem("invalid_request", "grpc-timeout must be up to 8 digits and a unit.");
  return Number(match[1]) * (UNIT_MS[match[2] ?? ""] ?? 0);
}

/** Aborts the returned signal when the caller no longer waits. `release` ends the timer. */
export function deadlineOf(field: string | undefined): { readonly signal: AbortSignal; release(): void } {
  const timeoutMs = timeoutMsOf(field);
  const controller = new AbortController();
  if (timeoutMs === undefined || timeoutMs > TIMER_MS_MAX) return { signal: controller.signal, release: () => {} };
  const late = new Problem("request_timeout", "The deadline of the call is over; nothing was stored.");
  const timer = setTimeout(() => controller.abort(late), timeoutMs);
  return { signal: controller.signal, release: () => clearTimeout(timer) };
}
