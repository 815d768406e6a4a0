import assert from "node:assert/strict";
import { test } from "node:test";
import { slugOf } from "./slug.ts";

test("a name suggests a slug that is allowed", () => {
  assert.equal(slugOf("Acme Corp (EU)"), "acme-corp-eu");
  assert.equal(slugOf("Café Zürich"), "cafe-zurich");
  assert.equal(slugOf("東京"), "");
  assert.equal(slugOf(`${"a".repeat(38)} b`), "a".repeat(38));
});
