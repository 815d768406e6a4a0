import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { newId } from "#kernel/ids.ts";
import { scrub } from "./scrub.ts";

const OWN = newId("org", 1);
const options = { directories: ["/var/lib/mooring/telemetry", "/"], orgId: OWN };

test("paths of the store and of the server's code are removed", () => {
  assert.equal(
    scrub('cannot open "/var/lib/mooring/telemetry/hot/org_2/logs/1-2.ndjson": no', options),
    'cannot open "(stored data)": no',
  );
  assert.equal(
    scrub("in /var/lib/mooring/telemetry/x, and /var/lib/mooring/telemetry.", options),
    "in (stored data), and (stored data)",
  );
  assert.equal(scrub(`at ${import.meta.url}:3`, options), "at (stored data)");
  assert.equal(scrub(`at f (${fileURLToPath(import.meta.url)}:3:1)`, options), "at f ((stored data))");
});

test("other organizations are removed, the caller's own stays", () => {
  assert.equal(scrub(`${OWN} and ${newId("org", 2)}`, options), `${OWN} and (another organization)`);
});

test("the caller's own text stays", () => {
  for (const text of [
    "Could not convert string 'GET /api/items/3' to INT32",
    "Could not convert string '/api/v1/orders' to INT32",
    "Could not convert string '/static/app.js' to INT32",
    "Could not convert string '/var/lib/mooring/telemetry-of-mine/x.parquet' to INT32",
    'there is no column "org_id"',
    "'org_1' is not a number",
    'syntax error at or near "ANY"; ANY(/x/)',
  ])
    assert.equal(scrub(text, options), text);
});

test("long messages are cut, and made well-formed", () => {
  assert.equal(scrub("x".repeat(5000), options).length, 2001);
  assert.equal(scrub("a\ud800", options), "a\ufffd");
});
