import assert from "node:assert/strict";
import { test } from "node:test";
import { safeReturnTo } from "./return-to.ts";

test("a path of this server is kept unchanged", () => {
  for (const path of ["/", "/account?tab=tokens", "/o/acme/-/explore?q=level%3Aerror#x", "/o/a//b", "/%5cexample.com"])
    assert.equal(safeReturnTo(path), path);
});

test("a path that leads elsewhere, or back to signing in, leads to the start", () => {
  const texts = [
    "//example.com",
    "/\\example.com",
    "/\t/example.com",
    "/\n/example.com",
    "/./\\example.com",
    "/.//example.com",
    "https://example.com",
    "javascript:alert(1)",
    "",
    "account",
    "/sign-in?return_to=%2Fsign-in",
    undefined,
    17,
    ["/account"],
  ];
  for (const text of texts) assert.equal(safeReturnTo(text), "/", JSON.stringify(text));
});
