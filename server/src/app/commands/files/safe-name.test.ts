import assert from "node:assert/strict";
import { test } from "node:test";
import { safeName } from "./safe-name.ts";

test("any name becomes a plain file of the current directory", () => {
  const cases: [string, string][] = [
    ["report.pdf", "report.pdf"],
    ["Übersicht 数据.csv", "Übersicht 数据.csv"],
    ["../../etc/passwd", "__.._etc_passwd"],
    ["/etc/passwd", "_etc_passwd"],
    ["C:\\x\\y", "C__x_y"],
    [".bashrc", "_bashrc"],
    ["..", "file_1"],
    [".", "file_1"],
    ["/", "file_1"],
    ["   ", "file_1"],
    ["-rf", "_-rf"],
    ["nul.txt", "_nul.txt"],
    ["a\u202egnp.exe", "a_gnp.exe"],
    ["trailing. ", "trailing"],
    ["a\u0000b\nc", "a_b_c"],
  ];
  for (const [name, safe] of cases) assert.equal(safeName(name, "file_1"), safe, JSON.stringify(name));
});

test("a long name keeps its extension", () => {
  const safe = safeName(`${"é".repeat(125)}.tar`, "file_1");
  assert.ok(Buffer.byteLength(safe) <= 200 && safe.endsWith("é.tar"), safe);
});
