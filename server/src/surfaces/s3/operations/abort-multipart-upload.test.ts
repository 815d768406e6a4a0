import assert from "node:assert/strict";
import { test } from "node:test";
import { refused, succeeded, useGateway } from "../testing/gateway.ts";
import { begin, part } from "../testing/uploads.ts";

const shared = useGateway();

test("gives up an upload and its parts", async () => {
  const { gateway, bucket } = shared;
  const target = `/${bucket}/big`;
  const uploadId = await begin(gateway, target);
  await part(gateway, target, { uploadId, number: 1, body: "a" });
  assert.equal(succeeded(await gateway.call("DELETE", `${target}?uploadId=${uploadId}`), 204).text, "");
  refused(await gateway.call("GET", `${target}?uploadId=${uploadId}`), "NoSuchUpload", 404);
  refused(await gateway.call("DELETE", `${target}?uploadId=none`), "NoSuchUpload", 404);
});
