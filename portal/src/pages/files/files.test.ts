import assert from "node:assert/strict";
import { test } from "node:test";
import { groupFiles, prefixOf, prettyJson, previewKindOf, type StoredFile } from "./files.ts";
import { addressListOf, csvOf } from "./lists.ts";

function file(filename: string, sizeBytes: number, contentType = "text/csv"): StoredFile {
  return {
    id: `file_${filename}`,
    filename,
    content_type: contentType,
    size_bytes: sizeBytes,
    created_at: "2026-11-20T12:00:00.000Z",
    sha256: "00",
    project_id: null,
    created_by: "user_1",
  };
}

test("only types without active content are shown", () => {
  assert.equal(previewKindOf("image/png"), "picture");
  assert.equal(previewKindOf("Text/CSV; charset=utf-8"), "text");
  assert.equal(previewKindOf("application/json"), "json");
  assert.equal(previewKindOf("application/problem+json"), "json");
  assert.equal(previewKindOf("image/svg+xml"), "text");
  assert.equal(previewKindOf("text/html"), "text");
  assert.equal(previewKindOf("application/pdf"), "none");
});

test("files are counted by type and by prefix, most bytes first", () => {
  const files = [file("a/1", 1), file("a/2", 2), file("b/1", 10, "image/png"), file("report-1.csv", 1)];
  assert.deepEqual(groupFiles(files, "prefix"), [
    { key: "b/", files: 1, bytes: 10 },
    { key: "a/", files: 2, bytes: 3 },
    { key: "report-", files: 1, bytes: 1 },
  ]);
  assert.deepEqual(
    groupFiles(files, "type").map(({ key }) => key),
    ["image/png", "text/csv"],
  );
});

test("a prefix ends at the first separator of a name", () => {
  assert.equal(prefixOf("2026/11/a.csv"), "2026/");
  assert.equal(prefixOf("costs 2026.csv"), "costs ");
  assert.equal(prefixOf("README"), "README");
  assert.equal(prefixOf("/etc"), "/etc");
});

test("a spreadsheet reads names as text", () => {
  const [, row] = csvOf([file('=1+1,"x"', 5)]).split("\r\n");
  assert.equal(row, `"file_=1+1,""x""","'=1+1,""x""",text/csv,5,2026-11-20T12:00:00.000Z,00,`);
  assert.equal(addressListOf(["https://a", "https://b"]), "https://a\nhttps://b\n");
});

test("incomplete JSON is shown unchanged", () => {
  assert.equal(prettyJson('{"a":1}'), '{\n  "a": 1\n}');
  assert.equal(prettyJson('{"a":'), undefined);
});
