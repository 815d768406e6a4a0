import assert from "node:assert/strict";
import { test } from "node:test";
import { matchesPattern, patternFault } from "./subject.ts";

const FITS: readonly (readonly [string, string, boolean])[] = [
  ["repo:acme/shop:ref:refs/heads/main", "repo:acme/shop:ref:refs/heads/main", true],
  ["repo:acme/shop:ref:refs/heads/main", "repo:acme/shop:ref:refs/heads/main2", false],
  ["repo:acme/shop:ref:refs/heads/main", "repo:acme/shop:ref:refs/heads/Main", false],
  ["repo:acme/shop:ref:refs/heads/*", "repo:acme/shop:ref:refs/heads/main", true],
  ["repo:acme/shop:ref:refs/heads/*", "repo:acme/shop:ref:refs/heads/", true],
  ["repo:acme/shop:ref:refs/heads/*", "repo:acme/shop:ref:refs/heads/feature/x", false],
  ["repo:acme/shop:ref:refs/heads/**", "repo:acme/shop:ref:refs/heads/feature/x", true],
  ["repo:acme/shop:ref:refs/heads/**", "repo:acme/shop:ref:refs/tags/v1", false],
  ["repo:acme/shop:ref:refs/heads/**", "repo:acme/shop:ref:refs/heads/x:environment:production", false],
  ["repo:acme/shop:environment:*", "repo:acme/shop:environment:a:b", false],
  ["repo:acme/shop*", "repo:acme/shop2", true],
  ["repo:acme/shop*", "repo:acme/shop:ref:refs/heads/main", false],
  ["repo:acme/*:ref:refs/heads/main", "repo:acme/shop:ref:refs/heads/main", true],
  ["repo:acme/*:ref:refs/heads/main", "repo:acme/shop:pull_request", false],
  ["repo:acme/*:ref:refs/heads/main", "repo:acme/a/../../mallory/shop:ref:refs/heads/main", false],
  ["repo:acme/*:ref:refs/heads/main", "repo:mallory/shop:ref:refs/heads/main", false],
  ["repo:acme/shop:ref:refs/heads/release-*-rc*", "repo:acme/shop:ref:refs/heads/release-1-rc2", true],
  ["repo:acme/shop:ref:refs/heads/release-*-rc*", "repo:acme/shop:ref:refs/heads/release-1", false],
  ["system:serviceaccount:shop:*", "system:serviceaccount:shop:deployer", true],
  ["system:serviceaccount:shop:*", "system:serviceaccount:shop2:deployer", false],
  ["job:a.c", "job:abc", false],
  ["job:[a-z]+", "job:a", false],
  ["job:x", "job:x\n", false],
  ["repo:acme/shop:ref:refs/heads/*", "repo:acme/shop:ref:refs/heads/a\nb", true],
];

for (const [pattern, subject, fits] of FITS) {
  test(`${pattern} ${fits ? "covers" : "does not cover"} ${JSON.stringify(subject)}`, () => {
    assert.equal(matchesPattern(pattern, subject), fits);
  });
}

test("a pattern with many stars is matched quickly", () => {
  const startedMs = performance.now();
  assert.equal(matchesPattern(`job:a/${"*a".repeat(250)}b`, `job:a/${"a".repeat(500)}`), false);
  assert.ok(performance.now() - startedMs < 2000);
});

test("a pattern must name its first parts without a star", () => {
  for (const good of [
    "x",
    "repo:acme/shop",
    "repo:acme/*:ref:refs/heads/main",
    "system:serviceaccount:*:deployer",
    "a:b:**",
  ])
    assert.equal(patternFault(good), undefined, good);
  for (const bad of [
    "",
    "*",
    "**",
    "repo:*",
    "repo:*/shop:ref:refs/heads/main",
    "repo:acme*",
    "repo:a*/shop",
    "*:acme/shop",
  ])
    assert.notEqual(patternFault(bad), undefined, bad);
  for (const bad of ["a:b:***", "a b", "a\u0000", "repö:x", "x".repeat(513), "::*", "//*"])
    assert.notEqual(patternFault(bad), undefined, bad);
});
