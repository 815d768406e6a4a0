import assert from "node:assert/strict";
import { test } from "node:test";
import { refused, succeeded, texts, useGateway } from "../testing/gateway.ts";
import { begin, completion } from "../testing/uploads.ts";

const shared = useGateway();

test("makes parts of an object's ranges", async () => {
  const { gateway, bucket } = shared;
  const target = `/${bucket}/copied`;
  succeeded(await gateway.call("PUT", `/${bucket}/source`, { body: "0123456789" }));
  const uploadId = await begin(gateway, target);
  const copy = (headers: Record<string, string>, source = `${bucket}/source`) =>
    gateway.call("PUT", `${target}?partNumber=1&uploadId=${uploadId}`, {
      headers: { "x-amz-copy-source": source, ...headers },
    });
  const copied = succeeded(await copy({ "x-amz-copy-source-range": "bytes=2-4" }), 200);
  const etag = (texts(copied, "ETag")[0] ?? "").replaceAll("&quot;", "");
  succeeded(await gateway.call("POST", `${target}?uploadId=${uploadId}`, { body: completion([[1, etag]]) }));
  assert.equal((await gateway.call("GET", target)).text, "234");
});

test("refuses ranges that are none, and sources that may not be read", async () => {
  const { gateway, bucket } = shared;
  succeeded(await gateway.call("PUT", `/${bucket}/source`, { body: "0123456789" }));
  const target = `/${bucket}/mine/copied`;
  const uploadId = await begin(gateway, target);
  const key = await gateway.newKey({ prefix: "mine/" });
  const copy = (range: string, sign = {}) =>
    gateway.call("PUT", `${target}?partNumber=1&uploadId=${uploadId}`, {
      headers: { "x-amz-copy-source": `${bucket}/source`, "x-amz-copy-source-range": range },
      sign,
    });
  for (const range of ["bytes=-2", "bytes=2-", "bytes=4-2", "2-4"]) refused(await copy(range), "InvalidArgument", 400);
  refused(await copy("bytes=0-10"), "InvalidRange", 416);
  refused(await copy("bytes=0-1", { key }), "AccessDenied", 403);
});
