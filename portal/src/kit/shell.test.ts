import assert from "node:assert/strict";
import { test } from "node:test";
import { curlOf, shellWord } from "./shell.ts";

test("a quoted word is only text to a shell", () => {
  assert.equal(shellWord("s3://shop/a.txt"), "s3://shop/a.txt");
  assert.equal(shellWord("it's; $(rm -rf)"), String.raw`'it'\''s; $(rm -rf)'`);
  assert.equal(shellWord(""), "''");
});

test("a call has its method, address and body", () => {
  assert.equal(
    curlOf("https://x.example/v1/files?limit=5&prefix=a", {}),
    `curl -sS 'https://x.example/v1/files?limit=5&prefix=a' -H "Authorization: Bearer $TOKEN"`,
  );
  assert.equal(
    curlOf("https://x.example/v1/apps", { method: "POST", body: { slug: "shop" } }),
    `curl -sS -X POST https://x.example/v1/apps -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d '{"slug":"shop"}'`,
  );
});
