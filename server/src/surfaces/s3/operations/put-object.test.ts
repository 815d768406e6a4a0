import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { refused, succeeded, useGateway } from "../testing/gateway.ts";

const shared = useGateway();

const base64 = (algorithm: string, text: string): string => createHash(algorithm).update(text).digest("base64");

test("stores the body, and returns its digest", async () => {
  const { gateway, bucket } = shared;
  const headers = {
    "content-type": "text/plain",
    "cache-control": "max-age=1",
    "content-encoding": "aws-chunked,gzip",
    "x-amz-meta-a": "b",
    "x-amz-meta-B-c": "\u00e9",
    "x-amz-tagging": "x=y&z=",
    "content-md5": base64("md5", "hello"),
    "x-amz-checksum-sha256": base64("sha256", "hello"),
  };
  const made = succeeded(await gateway.call("PUT", `/${bucket}/a`, { headers, body: "hello" }), 200);
  assert.equal(made.headers.etag, '"5d41402abc4b2a76b9719d911017c592"');
  assert.equal(made.headers["x-amz-checksum-sha256"], headers["x-amz-checksum-sha256"]);
  const got = succeeded(await gateway.call("GET", `/${bucket}/a`, { headers: { "x-amz-checksum-mode": "ENABLED" } }));
  assert.equal(got.text, "hello");
  const expected = {
    "content-type": "text/plain",
    "cache-control": "max-age=1",
    "content-encoding": "gzip",
    "x-amz-meta-a": "b",
    "x-amz-meta-b-c": "\u00e9",
    "x-amz-tagging-count": "2",
    "x-amz-checksum-sha256": headers["x-amz-checksum-sha256"],
    "x-amz-checksum-type": "FULL_OBJECT",
  };
  for (const [name, value] of Object.entries(expected)) assert.equal(got.headers[name], value, name);
});

test("distinguishes keys that differ in any byte", async () => {
  const { gateway, bucket } = shared;
  const keys = [
    "k",
    "k/",
    "k//",
    "k/.",
    "k/..",
    "../k",
    "./k",
    "k%2F..",
    "C:\\k",
    "k\u202e",
    "k?x",
    "k#x",
    "k%",
    "é",
    "e\u0301",
    "😀",
    "k\n",
    "x".repeat(1024),
  ];
  for (const key of keys) succeeded(await gateway.call("PUT", `/${bucket}/${encodeURIComponent(key)}`, { body: key }));
  for (const key of keys) assert.equal((await gateway.call("GET", `/${bucket}/${encodeURIComponent(key)}`)).text, key);
  refused(await gateway.call("PUT", `/${bucket}/${"x".repeat(1025)}`, { body: "x" }), "KeyTooLongError", 400);
  for (const key of ["a%00b", "a%ff", "a%c3%28", "a%zz", "a%"])
    refused(await gateway.call("PUT", `/${bucket}/${key}`, { sign: false, body: "x" }), "InvalidURI", 400);
});

test("changes nothing when the content differs from the announced one", async () => {
  const { gateway, bucket } = shared;
  succeeded(await gateway.call("PUT", `/${bucket}/kept`, { body: "kept" }));
  const put = (headers: Record<string, string>, payload?: string) =>
    gateway.call("PUT", `/${bucket}/kept`, { headers, body: "other", sign: payload === undefined ? {} : { payload } });
  const sha256 = createHash("sha256").update("another").digest("hex");
  refused(await put({}, sha256), "XAmzContentSHA256Mismatch", 400);
  refused(await put({}, "SHA256"), "InvalidArgument", 400);
  refused(await put({ "content-md5": base64("md5", "x") }), "BadDigest", 400);
  refused(await put({ "content-md5": "short" }), "InvalidDigest", 400);
  for (const [name, value] of [
    ["crc32", "AAAAAA=="],
    ["crc32c", "AAAAAA=="],
    ["crc64nvme", "AAAAAAAAAAA="],
    ["sha1", base64("sha1", "x")],
    ["sha256", base64("sha256", "x")],
  ] as const) {
    refused(await put({ [`x-amz-checksum-${name}`]: value }), "BadDigest", 400);
    refused(await put({ [`x-amz-checksum-${name}`]: "nonsense" }), "InvalidRequest", 400);
  }
  refused(
    await put({ "x-amz-checksum-crc32": "AAAAAA==", "x-amz-checksum-sha1": base64("sha1", "other") }),
    "InvalidRequest",
    400,
  );
  refused(await put({ "x-amz-sdk-checksum-algorithm": "CRC32" }), "InvalidRequest", 400);
  refused(await put({ "x-amz-checksum-xxhash64": "AAAAAAAAAAA=" }), "NotImplemented", 501);
  refused(await put({ "x-amz-trailer": "x-amz-checksum-crc32" }), "InvalidRequest", 400);
  refused(await put({ "x-amz-meta-a": "x".repeat(2048) }), "MetadataTooLarge", 400);
  refused(await put({ "x-amz-tagging": "a=1&a=2" }), "InvalidTag", 400);
  refused(await put({ "content-length": String(5 * 1024 ** 3 + 1) }), "EntityTooLarge", 400);
  assert.equal((await gateway.call("GET", `/${bucket}/kept`)).text, "kept");
});

test("writes only if the conditions are true", async () => {
  const { gateway, bucket } = shared;
  const put = (headers: Record<string, string>) => gateway.call("PUT", `/${bucket}/once`, { headers, body: "once" });
  refused(await put({ "if-match": '"x"' }), "NoSuchKey", 404);
  const { etag = "" } = succeeded(await put({ "if-none-match": "*" })).headers;
  refused(await put({ "if-none-match": "*" }), "PreconditionFailed", 412);
  refused(await put({ "if-match": '"x"' }), "PreconditionFailed", 412);
  succeeded(await put({ "if-match": etag }));
  succeeded(await put({ "if-match": etag.replaceAll('"', "") }));
});

test("asks for a body only after all checks", async () => {
  const { gateway, bucket } = shared;
  const headers = { expect: "100-continue", "content-length": "5" };
  const put = (call: object) => gateway.call("PUT", `/${bucket}/expected`, { headers, body: "hello", ...call });
  assert.equal(succeeded(await put({})).continued, true);
  for (const call of [
    { sign: false },
    { sign: { key: { ...gateway.key, secret: "x" } } },
    { headers: { ...headers, "if-none-match": "*" } },
  ])
    assert.equal((await put(call)).continued, false);
});
