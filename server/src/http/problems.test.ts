import assert from "node:assert/strict";
import { test } from "node:test";
import { Problem } from "#kernel/problem.ts";
import { fieldsOf, HttpProblem, statusOf } from "./problems.ts";

test("a problem's times and limits are also sent in header fields", () => {
  const problem = new Problem("quota_exceeded", "Too much.", {
    retryAfterS: 3,
    allowance: { name: "ingest-bytes", most: 3000, windowS: 4 },
  });
  assert.equal(statusOf(problem), 429);
  assert.deepEqual(fieldsOf(problem), {
    "retry-after": "3",
    "ratelimit-policy": '"ingest-bytes";q=3000;w=4',
    ratelimit: '"ingest-bytes";r=0;t=3',
  });
  assert.deepEqual(fieldsOf(new Problem("not_found", "Nothing.")), {});
  assert.deepEqual(fieldsOf(new HttpProblem("method_not_allowed", "No.", { allow: "GET" })), { allow: "GET" });
});
