import assert from "node:assert/strict";
import { test } from "node:test";
import { readOrigins } from "./origins.ts";

test("addresses of pages become their origins, each once", () => {
  const text = "https://App.example/upload?a=1, https://app.example\nhttp://127.0.0.1:3000 https://a.example:443";
  const origins = ["https://app.example", "http://127.0.0.1:3000", "https://a.example"];
  assert.deepEqual(readOrigins(text), { origins, fault: null });
  assert.deepEqual(readOrigins(" \n"), { origins: [], fault: null });
});

test("other texts and too many origins are errors", () => {
  for (const word of ["*", "app.example", "https://*.example", "ftp://app.example", "null", "https://"])
    assert.match(readOrigins(`https://a.example ${word}`).fault ?? "", /is not an origin/, word);
  const many = Array.from({ length: 21 }, (_, n) => `https://a${n}.example`);
  assert.equal(readOrigins(many.slice(1).join("\n")).fault, null);
  assert.equal(readOrigins(many.join("\n")).fault, "Allow at most 20 origins");
});
