import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { cellText, displayWidth, tableText } from "./table.ts";

const NAME = { name: "name", type: "VARCHAR" };
const COUNT = { name: "n", type: "BIGINT" };

describe("tables", () => {
  test("text is aligned left, numbers are aligned right", () => {
    const text = tableText(
      [NAME, COUNT],
      [
        { name: "a", n: 5 },
        { name: "bcdef", n: 123 },
      ],
      80,
    );
    assert.equal(text, "name     n\n-----  ---\na        5\nbcdef  123\n");
  });

  test("a table without rows has a header", () => assert.equal(tableText([NAME], [], 80), "name\n----\n"));

  test("the widest columns are cut until the table fits", () => {
    const rows = [{ name: "x".repeat(200), n: 7 }];
    const lines = tableText([NAME, COUNT], rows, 40).trimEnd().split("\n");
    for (const line of lines) assert.ok(displayWidth(line) <= 40, line);
    assert.match(lines[2] ?? "", /^x+…\s+7$/);
  });

  test("numbers and times are never cut", () => {
    const time = { name: "timestamp", type: "TIMESTAMP WITH TIME ZONE" };
    const row = { timestamp: "2026-11-20T08:00:00.123456Z", n: 1_234_567_890_123, name: "x".repeat(500_000) };
    const line = tableText([time, NAME, COUNT], [row], 60).split("\n")[2] ?? "";
    assert.match(line, /^2026-11-20T08:00:00\.123456Z  x+…  1234567890123$/);
    assert.equal(displayWidth(line), 60);
  });

  test("many columns keep a readable width, and the table exceeds the terminal", () => {
    const columns = Array.from({ length: 30 }, (_, i) => ({ name: `column_${i}`, type: "VARCHAR" }));
    const row = Object.fromEntries(columns.map(({ name }) => [name, "0123456789"]));
    assert.match(tableText(columns, [row], 80).split("\n")[2] ?? "", /^0123456…  0123456…/);
  });

  test("wide characters count twice, combining marks not at all", () => {
    assert.equal(displayWidth("日本"), 4);
    assert.equal(displayWidth("e\u0301"), 1);
    assert.equal(displayWidth("🚢"), 2);
    const lines = tableText(
      [NAME, COUNT],
      [
        { name: "日本", n: 1 },
        { name: "abcd", n: 2 },
      ],
      80,
    ).split("\n");
    assert.equal(displayWidth(lines[2] ?? ""), displayWidth(lines[3] ?? ""));
  });

  test("control characters are escaped, so that they do not control the terminal", () => {
    assert.equal(cellText("a\u001b[31mb\nc\td\u009b\u202e"), "a\\u001b[31mb\\nc\\td\\u009b\\u202e");
    const head = tableText([{ name: "\u001b]0;x\u0007", type: "VARCHAR" }], [], 80);
    assert.ok(!head.includes("\u001b") && !head.includes("\u0007"), head);
  });

  test("NULL, empty text, objects and numbers", () => {
    assert.deepEqual([null, undefined, "", { a: [1] }, 1.5, true].map(cellText), [
      "NULL",
      "NULL",
      "",
      '{"a":[1]}',
      "1.5",
      "true",
    ]);
  });
});
