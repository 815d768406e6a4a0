import assert from "node:assert/strict";
import { test } from "node:test";
import { isTypable, visibleText } from "./foreign.ts";

test("what turns a name around is shown by its number", () => {
  assert.equal(visibleText("invoice\u202Egpj.exe"), "invoice⟨U+202E⟩gpj.exe");
  assert.equal(visibleText("a\u200Bb\u0000\uFEFF"), "a⟨U+200B⟩b⟨U+0000⟩⟨U+FEFF⟩");
  assert.equal(visibleText("half \uD800 of a pair"), "half ⟨U+D800⟩ of a pair");
  assert.equal(visibleText("קובץ 文件 😀.txt"), "קובץ 文件 😀.txt");
});

test("line ends stay in content and go from names", () => {
  assert.equal(visibleText("a\n\tb", { lines: true }), "a\n\tb");
  assert.equal(visibleText("a\nb"), "a⟨U+000A⟩b");
});

test("what looks like something else is not asked for", () => {
  for (const text of ["report.pdf", "a", "costs 2026.csv"]) assert.ok(isTypable(text), text);
  for (const text of ["", " a", "a  b", "naïve", "x".repeat(61)]) assert.ok(!isTypable(text), text);
});
