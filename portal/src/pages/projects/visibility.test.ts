import assert from "node:assert/strict";
import { test } from "node:test";
import { appSlugFault, environmentFault, slugFault, slugOf } from "./visibility.ts";

test("an invalid slug is refused before it is sent", () => {
  for (const slug of ["", "ab", "a-b", "x".repeat(39)]) assert.equal(slugFault(slug), null, slug);
  for (const slug of ["a", "-ab", "ab-", "A1", "x".repeat(40)]) assert.notEqual(slugFault(slug), null, slug);
  for (const slug of ["", "shop", "a.b", "a--b"]) assert.equal(appSlugFault(slug), null, slug);
  for (const slug of ["ab", "xn--a", "1.2.3.4", "foo-s3alias"]) assert.notEqual(appSlugFault(slug), null, slug);
});

test("an invalid environment is refused before it is sent", () => {
  for (const label of ["", "production", "qa-2", "x", "x".repeat(20)])
    assert.equal(environmentFault(label), null, label);
  for (const label of ["Production", "a_b", "-a", "a-", "x".repeat(21)]) assert.notEqual(environmentFault(label), null);
});

test("a name suggests a valid slug", () => {
  assert.equal(slugOf("Café Möwe 2!", 39), "cafe-mowe-2");
  assert.equal(slugOf("Größe", 39), "grosse");
  assert.equal(slugOf("!!!", 39), "");
  assert.equal(slugOf(`${"a".repeat(38)} b`, 39), "a".repeat(38));
});
