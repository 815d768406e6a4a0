import assert from "node:assert/strict";
import { test } from "node:test";
import { passwordHint } from "./password-hint.ts";

test("a password needs twelve characters, counted as people count them", () => {
  assert.equal(passwordHint("").kind, "none");
  assert.equal(passwordHint("a1b2c3d4e5f").text, "11 of 12 characters");
  assert.equal(passwordHint("a1b2c3d4e5f6").kind, "go");
  assert.equal(passwordHint("🌊".repeat(11)).text, "11 of 12 characters");
});

test("a common password gets a warning, and is allowed", () => {
  assert.equal(passwordHint("aaaaaaaaaaaaaaaa").kind, "warn");
  assert.match(passwordHint("my-Password-2026").text, /“password”/);
  assert.match(passwordHint("marjorie likes tea", ["Marjorie Wu", "m.wu@acme.dev"]).text, /“marjorie”/);
  assert.equal(passwordHint("quiet-harbour-at-dawn", ["Marjorie Wu", "m.wu@acme.dev"]).text, "Good.");
});
