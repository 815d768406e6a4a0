import assert from "node:assert/strict";
import { test } from "node:test";
import { S3Error } from "#domain/s3/index.ts";
import { contentMd5, expectedChecksum } from "./checksums.ts";
import { Fields } from "./fields.ts";

const fields = (headers: Record<string, string>): Fields => Fields.fromRaw(Object.entries(headers).flat());
const refusal = (code: string) => (error: unknown) => error instanceof S3Error && error.code === code;
const SDK = "x-amz-sdk-checksum-algorithm";

test("finds the one checksum in a request or its trailer", () => {
  const none = new Set<string>();
  assert.equal(
    expectedChecksum(fields({ "x-amz-checksum-mode": "ENABLED", "x-amz-checksum-type": "COMPOSITE" }), none, []),
    null,
  );
  assert.deepEqual(expectedChecksum(fields({ "X-Amz-Checksum-CRC32": "NhCmhg==", [SDK]: "CRC32" }), none, []), {
    algorithm: "CRC32",
    value: "NhCmhg==",
  });
  assert.deepEqual(expectedChecksum(fields({}), none, ["x-amz-checksum-crc64nvme"]), {
    algorithm: "CRC64NVME",
    value: null,
  });
  for (const [headers, trailers] of [
    [{ "x-amz-checksum-crc32": "NhCmhg==" }, ["x-amz-checksum-sha1"]],
    [{ "x-amz-checksum-crc32": "NhCmhg==", [SDK]: "SHA1" }, []],
    [{ "x-amz-checksum-crc32": "NhCmhg" }, []],
    [{ "x-amz-checksum-crc32": "" }, []],
    [{ "x-amz-checksum-rot13": "NhCmhg==" }, []],
    [{ [SDK]: "CRC32" }, []],
  ] as const)
    assert.throws(
      () => expectedChecksum(fields(headers), none, trailers),
      refusal("InvalidRequest"),
      JSON.stringify(headers),
    );
});

test("ignores a checksum in a presigned URL only if it is the checksum of an empty body", () => {
  const headers = { "x-amz-checksum-crc32": "AAAAAA==", [SDK]: "CRC32" };
  assert.equal(expectedChecksum(fields(headers), new Set(Object.keys(headers)), []), null);
  assert.equal(expectedChecksum(fields({ [SDK]: "CRC32" }), new Set([SDK]), []), null);
  assert.equal(expectedChecksum(fields(headers), new Set(), [])?.value, "AAAAAA==");
  const given = { ...headers, "x-amz-checksum-crc32": "NhCmhg==" };
  assert.equal(expectedChecksum(fields(given), new Set(Object.keys(given)), [])?.value, "NhCmhg==");
});

test("accepts a valid MD5 only", () => {
  assert.equal(contentMd5(fields({})), undefined);
  assert.equal(contentMd5(fields({ "content-md5": "XUFAKrxLKna5cZ2REBfFkg==" })), "5d41402abc4b2a76b9719d911017c592");
  for (const text of ["", "XUFAKrxLKna5cZ2REBfFkg", "5d41402abc4b2a76b9719d911017c592", "XUFA KrxLKna5cZ2REBfFkg=="])
    assert.throws(() => contentMd5(fields({ "content-md5": text })), refusal("InvalidDigest"), text);
});
