import assert from "node:assert/strict";
import { test } from "node:test";
import { presign } from "./presign.ts";

/** The keys of the specification's examples. */
const SETTINGS = {
  endpoint: "https://s3.amazonaws.com",
  region: "us-east-1",
  bucket: "examplebucket",
  accessKeyId: "AKIAIOSFODNN7EXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
  forcePathStyle: false,
};
const AT = { nowMs: Date.UTC(2013, 4, 24), lifetimeS: 86_400 };

test("the specification's example has its signature", () => {
  const url = new URL(presign(SETTINGS, { ...AT, method: "GET", key: "test.txt" }));
  assert.equal(url.origin, "https://examplebucket.s3.amazonaws.com");
  assert.equal(url.pathname, "/test.txt");
  assert.equal(url.searchParams.get("X-Amz-Date"), "20130524T000000Z");
  assert.equal(
    url.searchParams.get("X-Amz-Signature"),
    "aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404",
  );
});

test("the bucket is in the path, after the endpoint's path, if the settings ask for it", () => {
  const settings = { ...SETTINGS, endpoint: "http://127.0.0.1:7070/s3/", forcePathStyle: true };
  const url = new URL(presign(settings, { ...AT, method: "PUT", key: "a b/c'd" }));
  assert.equal(url.origin + url.pathname, "http://127.0.0.1:7070/s3/examplebucket/a%20b/c%27d");
});

test("required header fields are named, and the session token is included", () => {
  const headers = { "content-type": "text/plain", "content-length": "3" };
  const settings = { ...SETTINGS, sessionToken: "a/b" };
  const { searchParams: query } = new URL(presign(settings, { ...AT, method: "PUT", key: "k", headers }));
  assert.equal(query.get("X-Amz-SignedHeaders"), "content-length;content-type;host");
  assert.equal(query.get("X-Amz-Security-Token"), "a/b");
});
