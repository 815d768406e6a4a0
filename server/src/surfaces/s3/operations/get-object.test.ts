import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { refused, succeeded, texts, useGateway } from "../testing/gateway.ts";

describe("getObject", () => {
  const shared = useGateway();

  test("returns the whole object, a range or nothing", async () => {
    const { gateway, bucket } = shared;
    succeeded(await gateway.call("PUT", `/${bucket}/a`, { body: "0123456789" }));
    const get = (range: string) => gateway.call("GET", `/${bucket}/a`, { headers: { range } });
    for (const [range, text, content] of [
      ["bytes=0-0", "0", "bytes 0-0/10"],
      ["bytes=8-99", "89", "bytes 8-9/10"],
      ["bytes=7-", "789", "bytes 7-9/10"],
      ["bytes=-2", "89", "bytes 8-9/10"],
      ["bytes=-99", "0123456789", "bytes 0-9/10"],
    ] as const) {
      const got = succeeded(await get(range), 206);
      assert.deepEqual([got.text, got.headers["content-range"]], [text, content]);
    }
    for (const range of ["lines=1-2", "bytes=5-2", "bytes=1-2,4-5"])
      assert.equal(succeeded(await get(range), 200).text, "0123456789");
    for (const range of ["bytes=10-", "bytes=-0"])
      assert.equal(refused(await get(range), "InvalidRange", 416).headers["content-range"], "bytes */10");
    const head = succeeded(await gateway.call("HEAD", `/${bucket}/a`));
    assert.deepEqual([head.text, head.headers["content-length"]], ["", "10"]);
    assert.equal(succeeded(await gateway.call("GET", `/${bucket}/a?partNumber=1`), 206).text, "0123456789");
    refused(await gateway.call("GET", `/${bucket}/a?partNumber=2`), "InvalidPartNumber", 416);
    refused(await gateway.call("GET", `/${bucket}/a?partNumber=0`), "InvalidArgument", 400);
    refused(await gateway.call("GET", `/${bucket}/none`), "NoSuchKey", 404);
    refused(await gateway.call("GET", `/${bucket}/a?versionId=none`), "NoSuchVersion", 404);
  });

  test("reads only if the conditions are true", async () => {
    const { gateway, bucket } = shared;
    const { etag = "" } = succeeded(await gateway.call("PUT", `/${bucket}/c`, { body: "c" })).headers;
    const get = (headers: Record<string, string>) => gateway.call("GET", `/${bucket}/c`, { headers });
    const { "last-modified": modified = "" } = (await get({})).headers;
    const [past, future] = ["Mon, 01 Jan 2001 00:00:00 GMT", "Fri, 01 Jan 2100 00:00:00 GMT"];
    const same: Record<string, string>[] = [
      { "if-none-match": etag },
      { "if-none-match": "*" },
      { "if-modified-since": modified },
      { "if-modified-since": future },
    ];
    for (const headers of same) {
      const answer = await get(headers);
      assert.deepEqual([answer.status, answer.text, answer.headers.etag], [304, "", etag]);
    }
    for (const headers of [{ "if-match": '"x"' }, { "if-unmodified-since": past }] as Record<string, string>[])
      refused(await get(headers), "PreconditionFailed", 412);
    for (const headers of [
      { "if-match": etag },
      { "if-match": etag, "if-unmodified-since": past },
      { "if-none-match": '"x"', "if-modified-since": future },
    ] as Record<string, string>[])
      succeeded(await get(headers), 200);
  });

  test("sets header fields of the answer only for signed requests", async () => {
    const { gateway, bucket } = shared;
    succeeded(await gateway.call("PUT", `/${bucket}/open`, { body: "x", headers: { "x-amz-acl": "public-read" } }));
    const query =
      "?response-content-type=text%2Fx&response-cache-control=no-store&response-content-disposition=attachment";
    const { headers } = succeeded(await gateway.call("GET", `/${bucket}/open${query}`));
    assert.deepEqual([headers["content-type"], headers["cache-control"]], ["text/x", "no-store"]);
    refused(await gateway.call("GET", `/${bucket}/open${query}`, { sign: false }), "InvalidRequest", 400);
    refused(
      await gateway.call("GET", `/${bucket}/open?response-content-type=a%0d%0aSet-Cookie:b`),
      "InvalidArgument",
      400,
    );
  });

  test("keeps foreign content from running as a page of this origin", async () => {
    const { gateway, bucket } = shared;
    for (const type of ["text/html; charset=utf-8", "image/svg+xml", "application/xml", "text/plain"]) {
      const headers = { "content-type": type, "x-amz-acl": "public-read" };
      succeeded(await gateway.call("PUT", `/${bucket}/page`, { body: "<script>", headers }));
      const { headers: got } = succeeded(await gateway.call("GET", `/${bucket}/page`, { sign: false }));
      assert.equal(got["x-content-type-options"], "nosniff");
      assert.equal(got["content-security-policy"], "default-src 'none'; sandbox");
      assert.equal(got["content-disposition"], type === "text/plain" ? undefined : "attachment");
    }
  });
});

describe("getObjectAttributes", () => {
  const shared = useGateway();

  test("returns the requested attributes", async () => {
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
});
