import assert from "node:assert/strict";
import { test } from "node:test";
import { refused, succeeded, texts, useGateway } from "../testing/gateway.ts";
import { begin, completion, part } from "../testing/uploads.ts";

const shared = useGateway();

const LARGE = Buffer.alloc(5 * 1024 * 1024, "a");

test("makes an object of the parts, each of which can be read for itself", async () => {
  const { gateway, bucket } = shared;
  const target = `/${bucket}/big`;
  const uploadId = await begin(gateway, target);
  const one = await part(gateway, target, { uploadId, number: 2, body: LARGE });
  const left = await part(gateway, target, { uploadId, number: 3, body: "left out" });
  const two = await part(gateway, target, { uploadId, number: 7, body: "end" });
  const complete = (body: string, headers = {}) =>
    gateway.call("POST", `${target}?uploadId=${uploadId}`, { body, headers });
  refused(
    await complete(
      completion([
        [7, two],
        [2, one],
      ]),
    ),
    "InvalidPartOrder",
    400,
  );
  refused(
    await complete(
      completion([
        [2, one],
        [3, two],
      ]),
    ),
    "InvalidPart",
    400,
  );
  refused(
    await complete(
      completion([
        [3, left],
        [7, two],
      ]),
    ),
    "EntityTooSmall",
    400,
  );
  refused(await complete(completion([])), "MalformedXML", 400);
  refused(await complete("<Nothing/>"), "MalformedXML", 400);
  refused(
    await complete(
      completion([
        [2, one],
        [7, two],
      ]),
      { "x-amz-mp-object-size": "7" },
    ),
    "InvalidRequest",
    400,
  );
  for (let i = 0; i < 2; i++) {
    const done = succeeded(
      await complete(
        completion([
          [2, one],
          [7, two.replaceAll('"', "")],
        ]),
      ),
      200,
    );
    assert.match(texts(done, "ETag")[0] ?? "", /^&quot;[0-9a-f]{32}-2&quot;$/);
  }
  const whole = await gateway.call("GET", target);
  assert.equal(whole.text.length, LARGE.length + 3);
  const last = succeeded(await gateway.call("GET", `${target}?partNumber=7`), 206);
  assert.deepEqual([last.text, last.headers["x-amz-mp-parts-count"]], ["end", "2"]);
  refused(await gateway.call("POST", `${target}?uploadId=none`, { body: completion([[2, one]]) }), "NoSuchUpload", 404);
});

test("completes only on condition, and with the checksum that the whole must have", async () => {
  const { gateway, bucket } = shared;
  const target = `/${bucket}/checked`;
  const uploadId = await begin(gateway, target, {
    "x-amz-checksum-algorithm": "CRC32",
    "x-amz-checksum-type": "FULL_OBJECT",
  });
  const etag = await part(gateway, target, { uploadId, number: 1, body: "hello" });
  const complete = (headers: Record<string, string>) =>
    gateway.call("POST", `${target}?uploadId=${uploadId}`, { body: completion([[1, etag]]), headers });
  refused(await complete({ "x-amz-checksum-crc32": "AAAAAA==" }), "BadDigest", 400);
  refused(await complete({ "if-match": '"x"' }), "NoSuchKey", 404);
  const done = succeeded(await complete({ "x-amz-checksum-crc32": "NhCmhg==", "if-none-match": "*" }));
  assert.deepEqual(texts(done, "ChecksumCRC32"), ["NhCmhg=="]);
});
