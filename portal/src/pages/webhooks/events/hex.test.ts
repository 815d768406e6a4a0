import assert from "node:assert/strict";
import { test } from "node:test";
import { base64Bytes, bodyBytes, hexText } from "./hex.ts";

test("bytes are in rows of eight, with their offset and their ASCII text", () => {
  const bytes = new TextEncoder().encode("Hello,\nwörld");
  assert.equal(hexText(bytes), "000000  48 65 6c 6c 6f 2c 0a 77  Hello,·w\n000008  c3 b6 72 6c 64           ··rld");
  assert.equal(hexText(new Uint8Array()), "");
  assert.equal(hexText(bytes, 3), "000000  48 65 6c                 Hel");
});

test("a body is the bytes of its text, or of its base64", () => {
  assert.deepEqual([...bodyBytes({ body: "é", body_base64: null })], [0xc3, 0xa9]);
  assert.deepEqual([...bodyBytes({ body: null, body_base64: "/wA=" })], [0xff, 0]);
  assert.equal(bodyBytes({ body: null, body_base64: null }).length, 0);
  assert.equal(base64Bytes("not base64!"), null);
});
