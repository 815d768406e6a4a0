import assert from "node:assert/strict";
import { test } from "node:test";
import { scrub } from "./scrub.ts";

const options = { directories: ["/var/lib/mooring/telemetry"], orgId: "org_1" };

test("paths of the store are taken out", () => {
  assert.equal(
    scrub('cannot open "/var/lib/mooring/telemetry/hot/org_2/logs/1-2.ndjson": no', options),
    'cannot open "(stored data)": no',
  );
  assert.equal(
    scrub("in /var/lib/mooring/telemetry/x, and /var/lib/mooring/telemetry.", options),
    "in (stored data), and (stored data)",
  );
  assert.equal(
    scrub("at file:///opt/app/child/main.ts:3 and /srv/a/b.parquet", options),
    "at (stored data):3 and (stored data)",
  );
});

test("other organizations are taken out, the caller's own is not", () => {
  assert.equal(scrub("org_1 and org_2abc", options), "org_1 and (another organization)");
});

test("what the caller wrote stays", () => {
  assert.equal(
    scrub("Could not convert string 'GET /api/items/3' to INT32", options),
    "Could not convert string 'GET /api/items/3' to INT32",
  );
});

test("long messages are cut, and made well-formed", () => {
  assert.equal(scrub("x".repeat(5000), options).length, 2001);
  assert.equal(scrub("a\ud800", options), "a\ufffd");
});
