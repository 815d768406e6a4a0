import assert from "node:assert/strict";
import { test } from "node:test";
import { refused, succeeded, texts, useGateway } from "../testing/gateway.ts";

const shared = useGateway();

test("tells the attributes that are asked for", async () => {
  const { gateway, bucket } = shared;
  succeeded(
    await gateway.call("PUT", `/${bucket}/a`, { body: "hello", headers: { "x-amz-checksum-crc32": "NhCmhg==" } }),
  );
  const get = (names: string) =>
    gateway.call("GET", `/${bucket}/a?attributes`, { headers: { "x-amz-object-attributes": names } });
  const all = succeeded(await get("ETag,Checksum,ObjectSize,StorageClass,ObjectParts"));
  assert.deepEqual(texts(all, "ETag"), ["5d41402abc4b2a76b9719d911017c592"]);
  assert.deepEqual([texts(all, "ChecksumCRC32"), texts(all, "ObjectSize")], [["NhCmhg=="], ["5"]]);
  assert.deepEqual(texts(succeeded(await get("ObjectSize")), "ETag"), []);
  refused(await get("Colour"), "InvalidArgument", 400);
  refused(await gateway.call("GET", `/${bucket}/a?attributes`), "InvalidArgument", 400);
});
