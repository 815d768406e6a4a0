import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { BlockList, isIP, SocketAddress } from "node:net";
import { test } from "node:test";
import {
  ADDRESS_RANGE_CHARS_MAX,
  addressRangeText,
  containsRange,
  containsRanges,
  parseAddress,
  parseAddressRange,
  type AddressRange,
} from "./address-ranges.ts";

const normal = (text: string): string | undefined => {
  const range = parseAddressRange(text);
  return range === undefined ? undefined : addressRangeText(range);
};

const rangeOf = (text: string): AddressRange => {
  const range = parseAddressRange(text);
  assert.ok(range !== undefined, text);
  return range;
};

test("writes each range in one way", () => {
  for (const [text, expected] of [
    ["10.0.0.0/8", "10.0.0.0/8"],
    ["10.1.2.3/8", "10.0.0.0/8"],
    ["192.0.2.7", "192.0.2.7"],
    ["192.0.2.7/32", "192.0.2.7"],
    ["0.0.0.0/0", "0.0.0.0/0"],
    ["255.255.255.255/31", "255.255.255.254/31"],
    ["2001:DB8::/32", "2001:db8::/32"],
    ["2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"],
    ["2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"],
    ["2001:db8::1/128", "2001:db8::1"],
    ["::/0", "::/0"],
    ["::", "::"],
    ["1::", "1::"],
    ["::ffff:10.1.2.3", "10.1.2.3"],
    ["::ffff:a01:203/104", "10.0.0.0/8"],
    ["::ffff:0:0/96", "0.0.0.0/0"],
    ["64:ff9b::192.0.2.1", "64:ff9b::c000:201"],
    ["::192.0.2.1", "::c000:201"],
    ["::ffff:0:0/95", "::fffe:0:0/95"],
  ] as const)
    assert.equal(normal(text), expected, text);
});

test("refuses all other texts", () => {
  const bad = [
    ..." | 10.0.0.0/33|10.0.0.0/-1|10.0.0.0/08|10.0.0.0/8/8|10.0.0/8|10.0.0.256|010.0.0.1|0x0a.0.0.1|10.0.0.0/|/8| 10.0.0.1|10.0.0.1 ".split(
      "|",
    ),
    ..."2001:db8::/129|:::|1::2::3|1:2:3:4:5:6:7|1:2:3:4:5:6:7:8:9|1:2:3:4:5:6:7::8|12345::|g::|::1.2.3|::1.2.3.4.5|1.2.3.4::|fe80::1%eth0|[::1]".split(
      "|",
    ),
    ..."10.1|167772161|0xa000001|::010.0.0.1|::ffff:010.0.0.1|::ffff:0x0a.0.0.1|::ffff:10.0.0.256|::1%1|::/0x10".split(
      "|",
    ),
    "localhost",
    "*",
  ];
  for (const text of bad) assert.equal(parseAddressRange(text), undefined, text);
  assert.equal(parseAddress("10.0.0.0/8"), undefined);
  assert.deepEqual(parseAddress("fe80::1%eth0"), parseAddress("fe80::1"));
});

test("reads and writes addresses as the platform does", () => {
  for (let i = 0; i < 2_000; i++) {
    const text = randomAddress();
    const address = rangeOf(text);
    if (isIP(text) === 4) assert.equal(addressRangeText(address), text);
    else assert.equal(addressRangeText(address), new SocketAddress({ address: text, family: "ipv6" }).address, text);
    assert.deepEqual(rangeOf(addressRangeText(address)), address);
    assert.ok(text.length <= ADDRESS_RANGE_CHARS_MAX);
  }
});

test("accepts a misspelt address only if the platform does", () => {
  let [taken, refused] = [0, 0];
  for (let i = 0; i < 10_000; i++) {
    const text = misspelt(randomInt(4) === 0 ? `64:ff9b::${randomAddress()}` : randomAddress());
    const isTaken = parseAddressRange(text) !== undefined;
    assert.equal(isTaken, isIP(text) !== 0, text);
    if (isTaken) taken += 1;
    else refused += 1;
  }
  assert.ok(taken > 500 && refused > 500, `${taken} accepted, ${refused} refused`);
});

test("matches the addresses that the platform's block list matches", () => {
  let held = 0;
  for (let i = 0; i < 4_000; i++) {
    const network = randomAddress();
    const family = isIP(network) === 4 ? "ipv4" : "ipv6";
    const bits = randomInt(family === "ipv4" ? 33 : 129);
    const list = new BlockList();
    list.addSubnet(network, bits, family);
    const range = rangeOf(`${network}/${bits}`);
    for (const address of [randomAddress(), nearby(network, bits)]) {
      const expected = list.check(address, isIP(address) === 4 ? "ipv4" : "ipv6");
      const sameFamily = (isIP(address) === 4) === (family === "ipv4");
      const found = containsRange(range, rangeOf(address));
      assert.equal(found, sameFamily && expected, `${address} in ${network}/${bits}`);
      if (found) held += 1;
    }
    assert.ok(containsRange(range, range));
  }
  assert.ok(held > 1_000);
});

test("knows whether one list lies within another", () => {
  const ranges = (...texts: string[]) => texts.map(rangeOf);
  assert.ok(
    containsRanges(ranges("10.0.0.0/8", "2001:db8::/32"), ranges("10.1.0.0/16", "2001:db8:1::/48", "10.2.3.4")),
  );
  assert.ok(!containsRanges(ranges("10.0.0.0/8"), ranges("10.1.0.0/16", "11.0.0.1")));
  assert.ok(!containsRanges(ranges("10.0.0.0/8"), ranges("0.0.0.0/0")));
  assert.ok(!containsRanges(ranges("0.0.0.0/0"), ranges("::/0")));
  assert.ok(!containsRanges([], ranges("10.0.0.1")));
});

/** Returns an address outside of the IPv4-mapped block. */
function randomAddress(): string {
  const byte = () => (randomInt(3) === 0 ? 0 : randomInt(256));
  if (randomInt(2) === 0) return [byte(), byte(), byte(), byte()].join(".");
  const groups = Array.from({ length: 8 }, (_, i) => (i === 0 ? 1 + randomInt(65_535) : byte() * 256 + byte()));
  return groups.map((group) => group.toString(16)).join(":");
}

/** Replaces, inserts or removes up to two characters. */
function misspelt(text: string): string {
  const parts = ["", ":", "::", ".", "0", "00", "f", "F", "x", "0x", " ", "[", "1.2.3.4", "256", "12345"];
  let changed = text;
  for (let edits = randomInt(3); edits > 0; edits--) {
    const at = randomInt(changed.length + 1);
    changed = changed.slice(0, at) + (parts[randomInt(parts.length)] ?? "") + changed.slice(at + randomInt(2));
  }
  return changed;
}

/** Flips one bit near the end of the prefix. */
function nearby(text: string, bits: number): string {
  const { bytes } = rangeOf(text);
  const bit = Math.min(bytes.length * 8 - 1, Math.max(0, bits - 1 + randomInt(3)));
  const changed = bytes.map((byte, i) => (i === bit >> 3 ? byte ^ (0x80 >> (bit & 7)) : byte));
  const address = addressRangeText({ bytes: changed, bits: bytes.length * 8 });
  return parseAddressRange(address)?.bytes.length === bytes.length ? address : text;
}
