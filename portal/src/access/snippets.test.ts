import assert from "node:assert/strict";
import { test } from "node:test";
import { s3Snippets, testCommand } from "./snippets.ts";

const access = {
  endpoint: "http://127.0.0.1:9000",
  accessKeyId: "MOOR123",
  secretAccessKey: "abc/+=",
  bucket: "shop",
  prefix: "2026/",
};

test("every snippet has the endpoint, the key and the secret", () => {
  for (const { id, text } of s3Snippets(access)) {
    assert.ok(text.includes(access.accessKeyId) && text.includes(access.secretAccessKey), id);
    assert.ok(text.includes("127.0.0.1:9000"), id);
  }
});

test("DuckDB's snippet has the host without its scheme, and the TLS setting", () => {
  const duckdb = (endpoint: string) =>
    s3Snippets({ ...access, endpoint }).find(({ id }) => id === "duckdb")?.text ?? "";
  assert.match(duckdb("http://127.0.0.1:9000"), /ENDPOINT '127\.0\.0\.1:9000'[^]*USE_SSL false/);
  assert.match(duckdb("https://s3.example.com"), /ENDPOINT 's3\.example\.com'[^]*USE_SSL true/);
});

test("a quote in a prefix does not end a string", () => {
  const texts = Object.fromEntries(s3Snippets({ ...access, prefix: `o'h"` }).map(({ id, text }) => [id, text]));
  assert.ok(texts["duckdb"]?.includes("'s3://shop/o''h\"*.parquet'"));
  assert.ok(texts["boto3"]?.includes(String.raw`"o'h\"report.csv"`));
});

test("the test command lists the objects that the key can read", () => {
  assert.match(testCommand(access), /s3 ls s3:\/\/shop\/2026\/$/);
});
