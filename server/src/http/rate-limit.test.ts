import assert from "node:assert/strict";
import { test } from "node:test";
import { HttpProblem } from "./problems.ts";
import { createRateLimiter } from "./rate-limit.ts";

function limiterAt(options: { perSecond: number; burst: number; keysMax?: number }) {
  const clock = { ms: 1_000_000, nowMs: () => clock.ms };
  return { clock, limiter: createRateLimiter({ name: "credential", clock, ...options }) };
}

test("a burst is allowed, and the next request is refused with Retry-After and the RateLimit fields", () => {
  const { limiter } = limiterAt({ perSecond: 2, burst: 4 });
  assert.deepEqual(
    [1, 2, 3, 4].map(() => limiter.take("a")),
    [3, 2, 1, 0],
  );
  assert.throws(
    () => limiter.take("a"),
    (error: unknown) =>
      error instanceof HttpProblem &&
      error.code === "rate_limited" &&
      error.fields["retry-after"] === "1" &&
      error.fields["ratelimit"] === '"credential";r=0;t=2' &&
      error.fields["ratelimit-policy"] === '"credential";q=4;w=2',
  );
});

test("each key has its own bucket, and tokens come back with time", () => {
  const { clock, limiter } = limiterAt({ perSecond: 10, burst: 10 });
  for (let i = 0; i < 10; i++) limiter.take("a");
  assert.throws(() => limiter.take("a"));
  assert.equal(limiter.take("b"), 9);
  clock.ms += 100;
  assert.equal(limiter.take("a"), 0);
  clock.ms += 3_600_000;
  assert.equal(limiter.take("a"), 9, "the bucket never exceeds the burst");
});

test("refused requests do not delay the refill", () => {
  const { clock, limiter } = limiterAt({ perSecond: 1, burst: 1 });
  limiter.take("a");
  for (let i = 0; i < 9; i++) {
    clock.ms += 100;
    assert.throws(() => limiter.take("a"));
  }
  clock.ms += 101;
  assert.equal(limiter.take("a"), 0);
});

test("a clock that is set back removes no tokens, and the number of keys is bounded", () => {
  const { clock, limiter } = limiterAt({ perSecond: 1, burst: 5, keysMax: 2 });
  limiter.take("a");
  clock.ms -= 10_000;
  assert.equal(limiter.take("a"), 3);
  limiter.take("b");
  limiter.take("c"); // "a" was not used for the longest time, so it is forgotten.
  assert.equal(limiter.take("a"), 4);
});
