import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { refused, succeeded, texts, useGateway } from "../testing/gateway.ts";
import { begin, completion, part } from "../testing/uploads.ts";

describe("createMultipartUpload", () => {
  const shared = useGateway();

  test("begins an upload with the object's fields, and the checksum of its parts", async () => {
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
});

describe("uploadPart", () => {
  const shared = useGateway();

  test("accepts parts in any order, and replaces a part that is sent again", async () => {
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
    assert.equal(
      texts(listed, "ChecksumCRC32")[0],
      "6Le+Qw==",
      "computed by the server, because the request has no checksum",
    );
  });

  test("refuses parts without an upload, with an invalid number, or with another checksum", async () => {
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
});

describe("uploadPartCopy", () => {
  const shared = useGateway();

  test("creates parts from ranges of an object", async () => {
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

  test("refuses invalid ranges, and sources without the permission to read", async () => {
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
    for (const range of ["bytes=-2", "bytes=2-", "bytes=4-2", "2-4"])
      refused(await copy(range), "InvalidArgument", 400);
    refused(await copy("bytes=0-10"), "InvalidRange", 416);
    refused(await copy("bytes=0-1", { key }), "AccessDenied", 403);
  });
});

describe("completeMultipartUpload", () => {
  const shared = useGateway();

  const LARGE = Buffer.alloc(5 * 1024 * 1024, "a");

  test("creates an object from the parts, and each part can be read separately", async () => {
    const { gateway, bucket } = shared;
    const target = `/${bucket}/big`;
    const uploadId = await begin(gateway, target);
    const one = await part(gateway, target, { uploadId, number: 2, body: LARGE });
    const left = await part(gateway, target, { uploadId, number: 3, body: "left out" });
    const two = await part(gateway, target, { uploadId, number: 7, body: "end" });
    const send = (body: string, headers = {}) =>
      gateway.call("POST", `${target}?uploadId=${uploadId}`, { body, headers });
    const complete = (parts: Parameters<typeof completion>[0], headers = {}) => send(completion(parts), headers);
    refused(
      await complete([
        [7, two],
        [2, one],
      ]),
      "InvalidPartOrder",
      400,
    );
    refused(
      await complete([
        [2, one],
        [3, two],
      ]),
      "InvalidPart",
      400,
    );
    refused(
      await complete([
        [3, left],
        [7, two],
      ]),
      "EntityTooSmall",
      400,
    );
    refused(await complete([]), "MalformedXML", 400);
    refused(await send("<Nothing/>"), "MalformedXML", 400);
    refused(
      await complete(
        [
          [2, one],
          [7, two],
        ],
        { "x-amz-mp-object-size": "7" },
      ),
      "InvalidRequest",
      400,
    );
    for (let i = 0; i < 2; i++) {
      const done = succeeded(
        await complete([
          [2, one],
          [7, two.replaceAll('"', "")],
        ]),
        200,
      );
      assert.match(texts(done, "ETag")[0] ?? "", /^&quot;[0-9a-f]{32}-2&quot;$/);
    }
    const whole = await gateway.call("GET", target);
    assert.equal(whole.text.length, LARGE.length + 3);
    const last = succeeded(await gateway.call("GET", `${target}?partNumber=7`), 206);
    assert.deepEqual([last.text, last.headers["x-amz-mp-parts-count"]], ["end", "2"]);
    refused(
      await gateway.call("POST", `${target}?uploadId=none`, { body: completion([[2, one]]) }),
      "NoSuchUpload",
      404,
    );
  });

  test("completes only if the conditions are true and the checksum of the object is right", async () => {
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
});

describe("abortMultipartUpload", () => {
  const shared = useGateway();

  test("aborts an upload and deletes its parts", async () => {
    const { gateway, bucket } = shared;
    const target = `/${bucket}/big`;
    const uploadId = await begin(gateway, target);
    await part(gateway, target, { uploadId, number: 1, body: "a" });
    assert.equal(succeeded(await gateway.call("DELETE", `${target}?uploadId=${uploadId}`), 204).text, "");
    refused(await gateway.call("GET", `${target}?uploadId=${uploadId}`), "NoSuchUpload", 404);
    refused(await gateway.call("DELETE", `${target}?uploadId=none`), "NoSuchUpload", 404);
  });
});

describe("listParts", () => {
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
});

describe("listMultipartUploads", () => {
  const shared = useGateway();

  test("lists uploads by pages and prefixes", async () => {
    const { gateway, bucket } = shared;
    for (const key of ["a/1", "a/2", "b"]) await begin(gateway, `/${bucket}/${key}`);
    const list = (query: string) => gateway.call("GET", `/${bucket}?uploads${query}`);
    const first = succeeded(await list("&max-uploads=2"));
    assert.deepEqual([texts(first, "Key"), texts(first, "IsTruncated")], [["a/1", "a/2"], ["true"]]);
    const [key, id] = [texts(first, "NextKeyMarker")[0], texts(first, "NextUploadIdMarker")[0]];
    assert.deepEqual(texts(await list(`&key-marker=${key}&upload-id-marker=${id}`), "Key"), ["b"]);
    const grouped = await list("&delimiter=/");
    assert.deepEqual(texts(grouped, "Key"), ["b"]);
    assert.match(grouped.text, /<CommonPrefixes><Prefix>a\/<\/Prefix>/);
    refused(await list("&max-uploads=x"), "InvalidArgument", 400);
  });

  test("pages of grouped uploads list every prefix and every upload exactly once", async () => {
    const { gateway, bucket } = shared;
    const begun = ["p/x/1", "p/x/2", "p/y", "p/y", "p/y", "p/z/1"];
    for (const key of begun) await begin(gateway, `/${bucket}/${key}`);
    const seen: string[] = [];
    let markers: string | undefined = "";
    while (markers !== undefined) {
      const page = succeeded(
        await gateway.call("GET", `/${bucket}?uploads&prefix=p/&delimiter=/&max-uploads=1${markers}`),
      );
      seen.push(
        ...texts(page, "Key"),
        ...[...page.text.matchAll(/<CommonPrefixes><Prefix>([^<]*)/g)].map(([, at]) => at ?? ""),
      );
      const next = `&key-marker=${texts(page, "NextKeyMarker")[0]}&upload-id-marker=${texts(page, "NextUploadIdMarker")[0] ?? ""}`;
      markers = texts(page, "IsTruncated")[0] === "true" ? next : undefined;
      assert.ok(seen.length <= begun.length);
    }
    assert.deepEqual(seen, ["p/x/", "p/y", "p/y", "p/y", "p/z/"]);
  });

  test("an upload marker of a key outside of the prefix is ignored", async () => {
    const { gateway, bucket } = shared;
    for (const key of ["m", "n"]) await begin(gateway, `/${bucket}/${key}`);
    const page = await gateway.call("GET", `/${bucket}?uploads&prefix=n&key-marker=m&upload-id-marker=0`);
    assert.deepEqual(texts(page, "Key"), ["n"]);
  });
});
