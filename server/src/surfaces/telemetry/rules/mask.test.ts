import assert from "node:assert/strict";
import { test } from "node:test";
import { newSecret } from "#kernel/secrets.ts";
import { maskText, mayNeedMask } from "./mask.ts";

const ALL = ["card", "token", "email"] as const;
const masked = (text: string): string => maskText(text, ALL);

test("cards are found by their beginning, length and check digit, with spaces and dashes", () => {
  const cards = [
    "4111111111111111",
    "4111 1111 1111 1111",
    "4111-1111-1111-1111",
    "5500000000000004",
    "2223003122003222",
    "340000000000009",
    "3782 822463 10005",
    "6011000000000004",
    "30000000000004",
    "3530111333300000",
    "6200000000000005",
  ];
  for (const card of cards) {
    assert.equal(masked(`paid with ${card}.`), "paid with [card].", card);
    assert.equal(masked(`${card} 12/29 737`), "[card] 12/29 737", card);
    assert.equal(masked(`{"pan":"${card}"}`), '{"pan":"[card]"}', card);
  }
  assert.equal(masked("7 4111 1111 1111 1111 and 5500-0000-0000-0004"), "7 [card] and [card]");
});

test("other numbers stay", () => {
  const texts = [
    "4111111111111112",
    "1790000000000",
    "1790000000000000000",
    "order 1234567890123456",
    "a4111111111111111",
    "4111111111111111a",
    "0.4111111111111111",
    "41111111111111111111111",
    "2026-11-20 08:00:00",
    "9111111111111111",
  ];
  for (const text of texts) assert.equal(masked(text), text);
});

test("tokens are found by their scheme or beginning", () => {
  const own = newSecret("mrik");
  const jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl";
  const tokens = [
    own,
    jwt,
    "AKIAABCDEFGHIJKLMNOP",
    `ghp_${"a1".repeat(18)}`,
    `github_pat_${"a".repeat(30)}`,
    `glpat-${"x".repeat(20)}`,
    "xoxb-123456789012-abcdef",
    `sk_live_${"a".repeat(24)}`,
    `AIza${"b".repeat(35)}`,
    `npm_${"c".repeat(36)}`,
  ];
  for (const token of tokens)
    for (const around of ["key=@,", '"@"', "@", "https://host/@/x"])
      assert.equal(masked(around.replace("@", token)), around.replace("@", "[token]"), token);
  assert.equal(masked("Authorization: Bearer abcdefgh.12/+=="), "Authorization: Bearer [token]");
  const pem = "-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----";
  assert.equal(masked(`a ${pem} b ${pem.slice(0, 40)}`), "a [token] b [token]");
  for (const text of ["the bearer of it", "eyJ", "sk_live_", "mrik_short", "xAKIAABCDEFGHIJKLMNOP"])
    assert.equal(masked(text), text);
});

test("e-mail addresses are found, and nothing else around an @", () => {
  const cases: [string, string][] = [
    ["mail to ann.b+x@example.co.uk, now", "mail to [email], now"],
    ["<ann@example.org>", "<[email]>"],
    ["a@example.org;b@example.org", "[email];[email]"],
    ["to=ann@example.org&x=1", "to=[email]&x=1"],
    ["jürgen@müller.example", "[email]"],
    ["user@localhost @ann a@b@ @@", "user@localhost @ann a@b@ @@"],
    ["left@1.2.3 react@18.2.0", "left@1.2.3 react@18.2.0"],
    ["git@github.com:acme/shop", "[email]:acme/shop"],
  ];
  for (const [text, expected] of cases) assert.equal(masked(text), expected);
});

test("so many private keys are masked as a body may have", () => {
  const key = "-----BEGIN PRIVATE KEY-----a-----END PRIVATE KEY-----";
  assert.equal(masked(key.repeat(100_000)), "[token]".repeat(100_000));
});

test("only the chosen patterns are masked", () => {
  assert.equal(maskText("a@example.org 4111111111111111", ["card"]), "a@example.org [card]");
  assert.equal(maskText("a@example.org 4111111111111111", ["email"]), "[email] 4111111111111111");
});

test("the quick check lets no pattern pass", () => {
  const texts = ["a@b.example", "4111 1111 1111 1111", newSecret("mrpat"), "BEARER abcdefghij", "a\\u0040b.example"];
  for (const text of texts) assert.ok(mayNeedMask(`{"message":"${text}"}`, ALL), text);
  assert.ok(!mayNeedMask('{"timestamp":"2026-11-20T08:00:00.123456Z","message":"order 4711 taken"}', ALL));
});

test("hostile texts take linear time", () => {
  const pieces = [
    "a",
    "@",
    "a@",
    "1",
    "1 ",
    "4111-",
    "eyJ",
    "eyJ-",
    "ghp_",
    "bearer ",
    "-----BEGIN ",
    "mrik_",
    "a.",
    "a@a.",
    "-----BEGIN PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----a-----END PRIVATE KEY-----",
  ];
  for (const piece of pieces) {
    const text = piece.repeat(256_000 / piece.length);
    const startedAt = process.cpuUsage();
    masked(text);
    const { user, system } = process.cpuUsage(startedAt);
    assert.ok(user + system < 1_500_000, `${piece}: ${(user + system) / 1000} ms`);
  }
});
