import assert from "node:assert/strict";
import { test } from "node:test";
import { refused, succeeded, texts, useGateway } from "../testing/gateway.ts";
import { begin, part } from "../testing/uploads.ts";

const shared = useGateway();

test("lists parts by pages", async () => {
  const { gateway, bucket } = shared;
  const target = `/${bucket}/big`;
  const uploadId = await begin(gateway, target);
  for (const number of [1, 2, 5]) await part(gateway, target, { uploadId, number, body: String(number) });
  const list = (query: string) => gateway.call("GET", `${target}?uploadId=${uploadId}${query}`);
  const first = succeeded(await list("&max-parts=2"));
  assert.deepEqual([texts(first, "PartNumber"), texts(first, "IsTruncated")], [["1", "2"], ["true"]]);
  const [marker] = texts(first, "NextPartNumberMarker");
  const second = succeeded(await list(`&part-number-marker=${marker}`));
  assert.deepEqual([texts(second, "PartNumber"), texts(second, "IsTruncated")], [["5"], ["false"]]);
  refused(await list("&max-parts=x"), "InvalidArgument", 400);
  refused(await gateway.call("GET", `${target}?uploadId=none`), "NoSuchUpload", 404);
});
