import assert from "node:assert/strict";
import { test } from "node:test";
import { dockerLogin } from "./token-snippets.ts";

test("the command holds no secret and stays one line, for any e-mail address", () => {
  assert.equal(
    dockerLogin("registry.acme.dev", "me@acme.dev"),
    'read -rs TOKEN && printf %s "$TOKEN" | docker login registry.acme.dev -u me@acme.dev --password-stdin',
  );
  assert.match(dockerLogin("r", "o'neil@acme.dev"), /-u 'o'\\''neil@acme\.dev' --/);
});
