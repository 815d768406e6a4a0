import assert from "node:assert/strict";
import { test } from "node:test";
import { isTypable, visibleText } from "./foreign.ts";

test("a character that reverses text is shown by its number", () => {
  assert.equal(visibleText("invoice\u202Egpj.exe"), "invoice⟨U+202E⟩gpj.exe");
  assert.equal(visibleText("a\u200Bb\u0000\uFEFF"), "a⟨U+200B⟩b⟨U+0000⟩⟨U+FEFF⟩");
  assert.equal(visibleText("half \uD800 of a pair"), "half ⟨U+D800⟩ of a pair");
  assert.equal(visibleText("קובץ 文件 😀.txt"), "קובץ 文件 😀.txt");
});

test("line ends stay in content and are removed from names", () => {
  assert.equal(visibleText("a\n\tb", { lines: true }), "a\n\tb");
  assert.equal(visibleText("a\nb"), "a⟨U+000A⟩b");
});

test("the portal warns only of names with lookalike characters", () => {
  for (const text of ["report.pdf", "a", "costs 2026.csv"]) assert.ok(isTypable(text), text);
  for (const text of ["", " a", "a  b", "naïve", "x".repeat(61)]) assert.ok(!isTypable(text), text);
});
