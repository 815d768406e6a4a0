import assert from "node:assert/strict";
import { test } from "node:test";
import { addressTest, parseAddresses, requireAddresses } from "./addresses.ts";

test("an address must be in every list that is set", () => {
  assert.equal(addressTest([null, null]), null);
  const [own, organization] = [parseAddresses("10.0.0.0/8 2001:db8::/32"), parseAddresses("10.1.0.0/16 192.0.2.0/24")];
  const allows = addressTest([own, null, organization]);
  assert.ok(allows !== null);
  for (let round = 0; round < 2; round++) {
    for (const ip of ["10.1.2.3", "::ffff:10.1.2.3"]) assert.ok(allows(ip), ip);
    for (const ip of ["10.2.0.1", "192.0.2.1", "2001:db8::1", "127.0.0.1", "", "a socket", null, undefined])
      assert.ok(!allows(ip), String(ip));
  }
});

test("the result for an address does not depend on earlier checks", () => {
  const allows = addressTest([parseAddresses("10.0.0.0/24")]);
  assert.ok(allows !== null);
  for (let i = 0; i < 1_000; i++) assert.equal(allows(`10.0.${i % 3}.${i % 256}`), i % 3 === 0, String(i));
});

test("an unreadable list is an error, never a shorter list", () => {
  for (const text of ["", "10.0.0.0/8 office", "10.0.0.0/8,10.0.0.1"])
    assert.throws(() => parseAddresses(text), /cannot read a list of allowed addresses/);
});

test("ranges are normalized without duplicates; an empty list is refused", () => {
  assert.deepEqual(requireAddresses(["10.1.2.3/8", "10.0.0.0/8", "::FFFF:192.0.2.1"]), ["10.0.0.0/8", "192.0.2.1"]);
  assert.equal(requireAddresses(null), null);
  assert.throws(() => requireAddresses([]), { code: "invalid_body" });
});
