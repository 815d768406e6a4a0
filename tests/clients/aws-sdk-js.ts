/** The AWS SDK for JavaScript v3, with lib-storage and the presigner. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { request as httpRequest } from "node:http";
import { Readable } from "node:stream";
import { createRequire } from "node:module";
import {
  CopyObjectCommand,
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
  paginateListObjectsV2,
} from "@aws-sdk/client-s3";
import { Upload } from "@aws-sdk/lib-storage";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { LARGE_BYTES, contentOf, sha256, type Client, type Place, type Step } from "./client.ts";

type Use = (s3: S3Client, place: Place) => Promise<void>;

function step(name: string, use: Use): Step {
  return {
    name,
    run: async (place) => {
      const s3 = clientAt(place);
      try {
        await use(s3, place);
      } finally {
        s3.destroy();
      }
    },
  };
}

function clientAt(place: Place): S3Client {
  return new S3Client({
    endpoint: place.url,
    region: place.region,
    forcePathStyle: true,
    maxAttempts: 1,
    credentials: { accessKeyId: place.accessKeyId, secretAccessKey: place.secretAccessKey },
    ...(place.caFile === null
      ? {}
      : { requestHandler: { httpsAgent: new HttpsAgent({ ca: readFileSync(place.caFile), keepAlive: true }) } }),
  });
}

async function bytesOf(s3: S3Client, { bucket }: Place, key: string, range?: string): Promise<Buffer> {
  const answer = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: key, Range: range }));
  return Buffer.from((await answer.Body?.transformToByteArray()) ?? []);
}

function inPieces(content: Buffer): Readable {
  return Readable.from(
    Array.from({ length: Math.ceil(content.length / 70_000) }, (_, n) =>
      content.subarray(n * 70_000, (n + 1) * 70_000),
    ),
  );
}

const buffers: Use = async (s3, place) => {
  for (const size of [0, 5, 3_000_000]) {
    const content = contentOf(size);
    const at = { Bucket: place.bucket, Key: "a/büffer" };
    await s3.send(new PutObjectCommand({ ...at, Body: content, ContentType: "text/x", Metadata: { who: "me" } }));
    const head = await s3.send(new HeadObjectCommand(at));
    assert.deepEqual([head.ContentLength, head.ContentType, head.Metadata], [size, "text/x", { who: "me" }]);
    assert.equal(sha256(await bytesOf(s3, place, at.Key)), sha256(content));
  }
  assert.deepEqual(await bytesOf(s3, place, "a/büffer", "bytes=10-19"), contentOf(3_000_000).subarray(10, 20));
  await s3.send(new DeleteObjectCommand({ Bucket: place.bucket, Key: "a/büffer" }));
  await refused(404, () => bytesOf(s3, place, "a/büffer"));
};

const streams: Use = async (s3, place) => {
  const content = contentOf(1_000_000);
  for (const length of [undefined, content.length]) {
    const at = { Bucket: place.bucket, Key: `stream-${length ?? "unknown"}` };
    const put = new PutObjectCommand({ ...at, Body: inPieces(content), ContentLength: length });
    if (length === undefined) await new Upload({ client: s3, params: { ...at, Body: inPieces(content) } }).done();
    else await s3.send(put);
    assert.equal(sha256(await bytesOf(s3, place, at.Key)), sha256(content));
  }
};

const parts: Use = async (s3, place) => {
  const content = contentOf(LARGE_BYTES);
  const params = { Bucket: place.bucket, Key: "large", Body: inPieces(content) };
  await new Upload({ client: s3, params, partSize: 5 * 1024 * 1024, queueSize: 4 }).done();
  assert.equal(sha256(await bytesOf(s3, place, "large")), sha256(content));
  const head = await s3.send(new HeadObjectCommand({ Bucket: place.bucket, Key: "large" }));
  assert.match(head.ETag ?? "", /-4"$/);
};

const checksums: Use = async (s3, place) => {
  for (const algorithm of ["CRC32", "CRC32C", "CRC64NVME", "SHA1", "SHA256"] as const) {
    const at = { Bucket: place.bucket, Key: algorithm };
    const put = await s3.send(new PutObjectCommand({ ...at, Body: contentOf(70_000), ChecksumAlgorithm: algorithm }));
    const got = await s3.send(new GetObjectCommand({ ...at, ChecksumMode: "ENABLED" }));
    assert.equal(sha256((await got.Body?.transformToByteArray()) ?? new Uint8Array()), sha256(contentOf(70_000)));
    assert.notEqual(put[`Checksum${algorithm}`], undefined);
    assert.equal(got[`Checksum${algorithm}`], put[`Checksum${algorithm}`]);
  }
};

const conditions: Use = async (s3, { bucket }) => {
  const put = (body: string, condition: { IfNoneMatch?: string; IfMatch?: string | undefined }) =>
    s3.send(new PutObjectCommand({ Bucket: bucket, Key: "once", Body: body, ...condition }));
  const { ETag } = await put("1", { IfNoneMatch: "*" });
  await refused(412, () => put("2", { IfNoneMatch: "*" }));
  await put("2", { IfMatch: ETag });
  await refused(412, () => put("3", { IfMatch: ETag }));
};

const listing: Use = async (s3, place) => {
  const keys = ["list/a b+c", "list/b/1", "list/b/2", "list/c/1", "list/ü/文件 😀", "list/<&>"];
  await Promise.all(keys.map((Key) => s3.send(new PutObjectCommand({ Bucket: place.bucket, Key, Body: "" }))));
  const found: string[] = [];
  const prefixes: string[] = [];
  // A new object each time, because the pager changes it.
  const query = () => ({ Bucket: place.bucket, Prefix: "list/", MaxKeys: 2 });
  for await (const page of paginateListObjectsV2({ client: s3 }, query()))
    found.push(...(page.Contents ?? []).map(({ Key }) => Key ?? ""));
  for await (const page of paginateListObjectsV2({ client: s3 }, { ...query(), Delimiter: "/" }))
    prefixes.push(...(page.CommonPrefixes ?? []).map(({ Prefix }) => Prefix ?? ""));
  assert.deepEqual(
    found,
    keys.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
  );
  assert.deepEqual(prefixes, ["list/b/", "list/c/", "list/ü/"]);
};

const copies: Use = async (s3, place) => {
  const CopySource = `${place.bucket}/${encodeURIComponent("list/ü/文件 😀")}`;
  await s3.send(new CopyObjectCommand({ Bucket: place.bucket, Key: "copy", CopySource }));
  assert.equal((await bytesOf(s3, place, "copy")).length, 0);
};

const presigned: Use = async (s3, place) => {
  const at = { Bucket: place.bucket, Key: "signed ü" };
  const put = await asked(
    place,
    "PUT",
    await getSignedUrl(s3, new PutObjectCommand(at), { expiresIn: 60 }),
    "by a URL",
  );
  assert.deepEqual(put, { status: 200, text: "" });
  const get = await asked(place, "GET", await getSignedUrl(s3, new GetObjectCommand(at), { expiresIn: 60 }));
  assert.deepEqual(get, { status: 200, text: "by a URL" });
};

const remove: Use = async (s3, { bucket }) => {
  for await (const { Contents = [] } of paginateListObjectsV2({ client: s3 }, { Bucket: bucket })) {
    if (Contents.length === 0) continue;
    const Objects = Contents.map(({ Key }) => ({ Key }));
    const { Errors, Deleted } = await s3.send(new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects } }));
    assert.deepEqual([Errors, Deleted?.length], [undefined, Objects.length]);
  }
  await s3.send(new DeleteBucketCommand({ Bucket: bucket }));
};

async function refused(status: number, use: () => Promise<unknown>): Promise<void> {
  await assert.rejects(
    use,
    (error) => error instanceof S3ServiceException && error.$metadata.httpStatusCode === status,
  );
}

/** Sends the request of a browser or a tool that has a URL and no key. */
export function asked(
  place: Place,
  method: string,
  url: string,
  body?: string,
): Promise<{ status: number; text: string }> {
  const ask = place.caFile === null ? httpRequest : httpsRequest;
  const ca = place.caFile === null ? {} : { ca: readFileSync(place.caFile) };
  return new Promise((resolve, reject) => {
    const request = ask(
      url,
      { method, ...ca, headers: { "content-length": Buffer.byteLength(body ?? "") } },
      (answer) => {
        let text = "";
        answer.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
        answer.on("end", () => resolve({ status: answer.statusCode ?? 0, text })).on("error", reject);
      },
    );
    request.on("error", reject).end(body);
  });
}

function versionOfPackage(name: string): string {
  return (createRequire(import.meta.url)(`${name}/package.json`) as { version: string }).version;
}

export const awsSdkJs: Client = {
  name: "AWS SDK for JavaScript v3",
  version: async () => versionOfPackage("@aws-sdk/client-s3"),
  steps: [
    step("make a bucket", async (s3, place) => void (await s3.send(new CreateBucketCommand({ Bucket: place.bucket })))),
    step("put, head, get, range and delete with buffers and metadata", buffers),
    step("put streams of known and unknown length", streams),
    step("upload a large stream in parts (lib-storage)", parts),
    step("put with each checksum, and get it verified", checksums),
    step("create if absent, replace if unchanged", conditions),
    step("list in pages, with a delimiter", listing),
    step("copy", copies),
    step("presigned PUT and GET", presigned),
    step("delete many objects and the bucket", remove),
  ],
};
