import assert from "node:assert/strict";
import { test } from "node:test";
import { refused, succeeded, useGateway } from "../testing/gateway.ts";

const shared = useGateway();

test("begins an upload with the object's fields, and the checksum that its parts will have", async () => {
  const { gateway, bucket } = shared;
  const create = (headers: Record<string, string>) => gateway.call("POST", `/${bucket}/big?uploads=`, { headers });
  const made = succeeded(await create({ "x-amz-checksum-algorithm": "CRC64NVME", "x-amz-meta-a": "b" }), 200);
  assert.equal(made.headers["x-amz-checksum-algorithm"], "CRC64NVME");
  assert.equal(made.headers["x-amz-checksum-type"], "FULL_OBJECT");
  assert.match(made.text, new RegExp(`<Bucket>${bucket}</Bucket><Key>big</Key><UploadId>[^<]+</UploadId>`));
  refused(await create({ "x-amz-checksum-algorithm": "ROT13" }), "InvalidRequest", 400);
  refused(await create({ "x-amz-checksum-type": "COMPOSITE" }), "InvalidRequest", 400);
  refused(await create({ "x-amz-checksum-algorithm": "SHA1", "x-amz-checksum-type": "SOME" }), "InvalidRequest", 400);
});
