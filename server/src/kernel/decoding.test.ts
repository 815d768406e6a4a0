import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeBase64, decodeBase64Url, decodeForm, decodePercent, decodeUtf8 } from "./decoding.ts";

test("base64url: each value has exactly one text", () => {
  for (let length = 0; length < 40; length++) {
    const bytes = Buffer.from(Array.from({ length }, (_, at) => (at * 89 + length) % 256));
    const text = bytes.toString("base64url");
    assert.deepEqual(decodeBase64Url(text), bytes);
    const last = text.at(-1);
    for (const other of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") {
      if (other === last || text === "") continue;
      const read = decodeBase64Url(text.slice(0, -1) + other);
      assert.ok(read === undefined || !read.equals(bytes), `${text} and ${other}`);
    }
  }
  for (const text of ["A", "AB=", "AA==", "A A", "AA\n", "+/8", "é", "AAAAA"])
    assert.equal(decodeBase64Url(text), undefined, text);
});

test("base64: padding is optional, and leftover bits are refused", () => {
  assert.deepEqual(decodeBase64("AA=="), Buffer.from([0]));
  assert.deepEqual(decodeBase64("AA"), Buffer.from([0]));
  for (const text of ["AB==", "AA=", "-_8=", "A", "AA==x", "A A="]) assert.equal(decodeBase64(text), undefined, text);
});

test("percent-encoding: UTF-8 in two hexadecimal digits, raw bytes as bytes", () => {
  assert.equal(decodePercent("/a%20b%C3%A9"), "/a bé");
  assert.equal(decodePercent("\xc3\xa9"), "é");
  for (const text of ["%", "%z", "%zz", "a%2", "%ff", "%C3", "\xff", "%C0%80", "%ED%A0%80"])
    assert.equal(decodePercent(text), undefined, text);
});

test("forms: fields are in order, with repetitions; one malformed part refuses the form", () => {
  assert.deepEqual(decodeForm("a=1&b&a=x+%2B%26&&=z"), [
    ["a", "1"],
    ["b", ""],
    ["a", "x +&"],
    ["", "z"],
  ]);
  for (const text of ["a=%zz", "%ff=1", "a=1&b=%"]) assert.equal(decodeForm(text), undefined, text);
});

test("UTF-8: invalid bytes are refused, not replaced", () => {
  assert.equal(decodeUtf8(Buffer.from("é😀")), "é😀");
  for (const bytes of [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xc3]])
    assert.equal(decodeUtf8(Buffer.from(bytes)), undefined);
});
