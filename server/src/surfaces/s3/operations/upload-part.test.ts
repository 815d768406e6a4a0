import assert from "node:assert/strict";
import { test } from "node:test";
import { refused, succeeded, texts, useGateway } from "../testing/gateway.ts";
import { begin, part } from "../testing/uploads.ts";

const shared = useGateway();

test("takes parts in any order, and a part again", async () => {
  const { gateway, bucket } = shared;
  const target = `/${bucket}/big`;
  const uploadId = await begin(gateway, target, { "x-amz-checksum-algorithm": "CRC32" });
  for (const [number, body] of [
    [3, "c"],
    [1, "x"],
    [1, "a"],
  ] as const)
    await part(gateway, target, { uploadId, number, body });
  const listed = await gateway.call("GET", `${target}?uploadId=${uploadId}`);
  assert.deepEqual(texts(listed, "PartNumber"), ["1", "3"]);
  assert.equal(texts(listed, "ChecksumCRC32")[0], "6Le+Qw==", "computed though it was not sent");
});

test("refuses parts of no upload, of no number, or with another checksum", async () => {
  const { gateway, bucket } = shared;
  const uploadId = await begin(gateway, `/${bucket}/big`, { "x-amz-checksum-algorithm": "CRC32" });
  const put = (query: string, headers = {}, key = "big") =>
    gateway.call("PUT", `/${bucket}/${key}?${query}`, { headers, body: "a" });
  for (const number of ["0", "10001", "x", "-1"])
    refused(await put(`partNumber=${number}&uploadId=${uploadId}`), "InvalidArgument", 400);
  refused(await put("partNumber=1&uploadId=none"), "NoSuchUpload", 404);
  refused(await put(`partNumber=1&uploadId=${uploadId}`, {}, "other"), "NoSuchUpload", 404);
  refused(
    await put(`partNumber=1&uploadId=${uploadId}`, { "x-amz-checksum-sha1": "hvfkN/qlp/zhXR3cuerq6jd2Z7g=" }),
    "InvalidRequest",
    400,
  );
  refused(await put(`partNumber=1&uploadId=${uploadId}`, { "x-amz-checksum-crc32": "AAAAAA==" }), "BadDigest", 400);
  refused(await put(`uploadId=${uploadId}`), "NotImplemented", 501);
  assert.deepEqual(
    texts(succeeded(await gateway.call("GET", `/${bucket}/big?uploadId=${uploadId}`)), "PartNumber"),
    [],
  );
});
