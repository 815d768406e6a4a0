import assert from "node:assert/strict";
import { test } from "node:test";
import { allowsAddress, bodyOf, faultOf, isSameList, readAddressList } from "./address-list.ts";

test("a typed list becomes normalized ranges without duplicates", () => {
  const list = readAddressList(" 10.1.2.3/8,192.0.2.7\n2001:DB8::/32  10.0.0.0/8 ");
  assert.deepEqual(list, { ranges: ["10.0.0.0/8", "192.0.2.7", "2001:db8::/32"], bad: [] });
  assert.equal(faultOf(list), null);
  assert.deepEqual(bodyOf(list), ["10.0.0.0/8", "192.0.2.7", "2001:db8::/32"]);
  assert.equal(bodyOf(readAddressList(" \n")), null);
});

test("a word that is not a range is an error, and so are too many ranges", () => {
  assert.match(faultOf(readAddressList("10.0.0.0/8 office")) ?? "", /“office” is neither/);
  const many = Array.from({ length: 33 }, (_, i) => `10.0.0.${i}`).join(" ");
  assert.match(faultOf(readAddressList(many)) ?? "", /33 ranges\. The list may have at most 32/);
});

test("a list matches its addresses; no list matches all addresses", () => {
  assert.ok(allowsAddress(null, "192.0.2.7"));
  assert.ok(allowsAddress([], "192.0.2.7"));
  assert.ok(allowsAddress(["10.0.0.0/8", "192.0.2.0/24"], "::ffff:192.0.2.7"));
  assert.ok(!allowsAddress(["10.0.0.0/8"], "192.0.2.7"));
  assert.ok(!allowsAddress(["10.0.0.0/8"], "a socket"));
  assert.ok(isSameList(["10.0.0.0/8", "::1"], ["::1", "10.0.0.0/8"]));
  assert.ok(isSameList(null, null) && !isSameList(null, ["::1"]));
});
