import assert from "node:assert/strict";
import { test } from "node:test";
import { dockerLogin, expiryOf } from "./token-snippets.ts";

test("a lifetime is counted from now", () => {
  const now = new Date("2026-01-10T12:00:00Z");
  assert.equal(expiryOf(7, now), "2026-01-17T12:00:00.000Z");
  assert.equal(expiryOf(null, now), null);
});

test("the command holds no secret and stays one line, whatever the address is", () => {
  assert.equal(
    dockerLogin("registry.acme.dev", "me@acme.dev"),
    'read -rs TOKEN && printf %s "$TOKEN" | docker login registry.acme.dev -u me@acme.dev --password-stdin',
  );
  assert.match(dockerLogin("r", "o'neil@acme.dev"), /-u 'o'\\''neil@acme\.dev' --/);
});
