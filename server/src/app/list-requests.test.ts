import assert from "node:assert/strict";
import { test } from "node:test";
import { listRequests } from "./testing/list-requests.ts";
import type { Ids } from "./testing/many-rows.ts";

/** Every id is the name of its field. */
const IDS = new Proxy({} as Ids, { get: (_ids, name) => String(name) });

test("the test with a million rows knows every list, and a value of every filter and parameter", () => {
  assert.ok(new Set(listRequests(IDS).map(({ name }) => name)).size >= 40);
});
