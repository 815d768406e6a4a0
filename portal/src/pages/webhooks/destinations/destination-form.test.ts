import assert from "node:assert/strict";
import { test } from "node:test";
import { destinationOf, draftOf, filterText } from "./destination-form.ts";

test("an empty form selects every event, without a rate limit", () => {
  const draft = { ...draftOf(null), name: " billing ", url: "https://x.example/e" };
  assert.deepEqual(destinationOf(draft), {
    name: "billing",
    url: "https://x.example/e",
    filter: {},
    ordered: false,
    rate_per_second: null,
  });
});

test("only filled-in conditions are sent", () => {
  const draft = { ...draftOf(null), types: "order.paid,\n order.void ,", pointer: "/a=b", rate: "5", ordered: true };
  const made = destinationOf(draft);
  assert.deepEqual(made.filter, { types: ["order.paid", "order.void"], pointer: "/a=b" });
  assert.equal(made.rate_per_second, 5);
  assert.equal(filterText(made.filter ?? {}), "type order.paid or order.void, and JSON /a=b");
  assert.equal(filterText({}), "every event");
});
