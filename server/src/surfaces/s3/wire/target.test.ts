import assert from "node:assert/strict";
import { test } from "node:test";
import { S3Error } from "#domain/s3/index.ts";
import { parseTarget, placeOf, uriEncodedPath } from "./target.ts";

const isInvalid = (error: unknown): boolean => error instanceof S3Error && error.code === "InvalidURI";

test("decodes a path once, and keeps its dots and slashes", () => {
  for (const [raw, path] of [
    ["/b/a%20b+c", "/b/a b+c"],
    ["/b//a/./../", "/b//a/./../"],
    ["/b/%2e%2e%2F", "/b/../"],
    ["/b/%252F", "/b/%2F"],
    ["/b/\u00c3\u00a9%F0%9F%98%80", "/b/é😀"],
    ["/", "/"],
  ] as const)
    assert.equal(parseTarget(raw).path, path);
  for (const raw of ["", "*", "b/a", "http://a/b", "/%", "/%2", "/%zz", "/%00", "/\0", "/%ff", "/%ed%a0%80", "/%c0%af"])
    assert.throws(() => parseTarget(raw), isInvalid, raw);
});

test("keeps every parameter, in its order", () => {
  assert.deepEqual(parseTarget("/b?a=1&a=2&b&c=&d=x%3Dy=z&&+e=f+g").query, [
    { name: "a", value: "1" },
    { name: "a", value: "2" },
    { name: "b", value: "" },
    { name: "c", value: "" },
    { name: "d", value: "x=y=z" },
    { name: " e", value: "f g" },
  ]);
});

test("finds bucket and key in the path or the host", () => {
  const domain = "s3.example.com";
  for (const [path, host, bucket, key] of [
    ["/", "a", "", ""],
    ["/b", "a", "b", ""],
    ["/b/", "a", "b", ""],
    ["/b/k/l", "s3.example.com", "b", "k/l"],
    ["/b//k", "s3.example.com:9000", "b", "/k"],
    ["/k/l", "b.s3.example.com", "b", "k/l"],
    ["/", "my.bucket.S3.example.com:9000", "my.bucket", ""],
    ["/b/k", "nots3.example.com", "b", "k"],
    ["/b/k", ".s3.example.com", "b", "k"],
  ] as const)
    assert.deepEqual(placeOf(path, host, domain), { bucket, key }, `${host}${path}`);
  assert.deepEqual(placeOf("/k", "b.s3.example.com", null), { bucket: "k", key: "" });
});

test("encodes as Signature V4 requires", () => {
  assert.equal(uriEncodedPath("/a b/é!*'()~-._"), "/a%20b/%C3%A9%21%2A%27%28%29~-._");
});
