/** The S3 gateway as the AWS SDK for JavaScript uses it. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { request as httpRequest } from "node:http";
import { after, test } from "node:test";
import { Readable } from "node:stream";
import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListBucketsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from "@aws-sdk/client-s3";
import { Upload } from "@aws-sdk/lib-storage";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { s3EndpointOf, type S3Endpoint } from "../fixtures/s3.ts";
import { useServer } from "../fixtures/server.ts";

const MIB = 1024 * 1024;
let endpoint: S3Endpoint;
let s3: S3Client;

const shared = useServer({ settings: { upload_idle_timeout_ms: 1000 } }, async ({ server, home }) => {
  endpoint = await s3EndpointOf(server, home);
  s3 = clientOf(endpoint.accessKeyId, endpoint.secretAccessKey);
});
after(() => s3.destroy());

function clientOf(accessKeyId: string, secretAccessKey: string): S3Client {
  const { url, region } = endpoint;
  return new S3Client({ endpoint: url, region, forcePathStyle: true, credentials: { accessKeyId, secretAccessKey } });
}

async function content(Key: string, Range?: string): Promise<Buffer> {
  const { Body } = await s3.send(
    new GetObjectCommand({ Bucket: endpoint.bucket, Key, ...(Range === undefined ? {} : { Range }) }),
  );
  assert.ok(Body !== undefined);
  return Buffer.from(await Body.transformToByteArray());
}

test("every app is a bucket, and a new bucket is an app", async () => {
  const listed = await s3.send(new ListBucketsCommand({}));
  assert.deepEqual(
    listed.Buckets?.map(({ Name }) => Name),
    [endpoint.bucket],
  );
  await s3.send(new CreateBucketCommand({ Bucket: "new.bucket" }));
  const apps = await shared.server.call<{ apps: { slug: string }[] }>("GET", "/v1/apps", { token: shared.token });
  assert.ok(apps.text.includes('"new.bucket"'), apps.text);
  await s3.send(new DeleteBucketCommand({ Bucket: "new.bucket" }));
});

test("stores objects from buffers and streams, and returns them", async () => {
  const { bucket: Bucket } = endpoint;
  const Key = "dir/ü +%.txt";
  const put = await s3.send(
    new PutObjectCommand({ Bucket, Key, Body: "hello", ContentType: "text/plain", Metadata: { a: "b" } }),
  );
  assert.equal(put.ETag, '"5d41402abc4b2a76b9719d911017c592"');
  assert.equal(put.ChecksumCRC32, "NhCmhg==");
  const head = await s3.send(new HeadObjectCommand({ Bucket, Key }));
  assert.deepEqual([head.ContentType, head.ContentLength, head.Metadata], ["text/plain", 5, { a: "b" }]);
  assert.equal((await content(Key, "bytes=1-2")).toString(), "el");
  const bytes = randomBytes(3 * MIB);
  const pieces = Array.from({ length: 48 }, (_, i) => bytes.subarray(i * 65_536, (i + 1) * 65_536));
  await s3.send(
    new PutObjectCommand({ Bucket, Key: "stream", Body: Readable.from(pieces), ContentLength: bytes.length }),
  );
  assert.ok((await content("stream")).equals(bytes));
  await s3.send(new CopyObjectCommand({ Bucket, Key: "copy", CopySource: `${Bucket}/stream` }));
  assert.ok((await content("copy")).equals(bytes));
  const listed = await s3.send(new ListObjectsV2Command({ Bucket, Delimiter: "/" }));
  assert.deepEqual(
    [listed.Contents?.map((object) => object.Key), listed.CommonPrefixes],
    [["copy", "stream"], [{ Prefix: "dir/" }]],
  );
  const keys = [Key, "stream", "copy"].map((name) => ({ Key: name }));
  assert.equal((await s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects: keys } }))).Deleted?.length, 3);
  await assert.rejects(content("stream"), { name: "NoSuchKey" });
});

test("uploads in parts", async () => {
  const { bucket: Bucket } = endpoint;
  const bytes = randomBytes(11 * MIB);
  const upload = new Upload({
    client: s3,
    params: { Bucket, Key: "lib", Body: Readable.from([bytes.subarray(0, 7 * MIB), bytes.subarray(7 * MIB)]) },
    partSize: 5 * MIB,
  });
  await upload.done();
  assert.ok((await content("lib")).equals(bytes));
  const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key: "parts" }));
  const sent = await Promise.all(
    [2, 1].map(async (PartNumber) => {
      const Body = PartNumber === 1 ? bytes.subarray(0, 5 * MIB) : bytes.subarray(5 * MIB);
      const { ETag } = await s3.send(new UploadPartCommand({ Bucket, Key: "parts", UploadId, PartNumber, Body }));
      return { PartNumber, ETag };
    }),
  );
  const Parts = sent.toSorted((a, b) => a.PartNumber - b.PartNumber);
  await s3.send(new CompleteMultipartUploadCommand({ Bucket, Key: "parts", UploadId, MultipartUpload: { Parts } }));
  assert.ok((await content("parts")).equals(bytes));
});

test("accepts pages and forms with presigned URLs", async () => {
  const { bucket: Bucket } = endpoint;
  const put = await fetch(await getSignedUrl(s3, new PutObjectCommand({ Bucket, Key: "url" })), {
    method: "PUT",
    body: "by url",
  });
  assert.equal(put.status, 200, await put.text());
  const get = await fetch(
    await getSignedUrl(s3, new GetObjectCommand({ Bucket, Key: "url", ResponseContentType: "text/x" })),
  );
  assert.deepEqual([await get.text(), get.headers.get("content-type")], ["by url", "text/x"]);
});

test("a revoked key fails on its next request", async () => {
  const created = await shared.server.call<{ id: string; access_key_id: string; secret_access_key: string }>(
    "POST",
    "/v1/s3/keys",
    {
      token: shared.token,
      json: { name: "short-lived" },
    },
  );
  const client = clientOf(created.body.access_key_id, created.body.secret_access_key);
  try {
    await client.send(new ListBucketsCommand({}));
    const revoked = await shared.server.call("DELETE", `/v1/s3/keys/${created.body.id}`, { token: shared.token });
    assert.ok(revoked.status < 300, revoked.text);
    await assert.rejects(client.send(new ListBucketsCommand({})), { name: "InvalidAccessKeyId" });
  } finally {
    client.destroy();
  }
});

test("an aborted upload leaves the old object", async () => {
  const { bucket: Bucket } = endpoint;
  await s3.send(new PutObjectCommand({ Bucket, Key: "kept", Body: "kept" }));
  const url = new URL(await getSignedUrl(s3, new PutObjectCommand({ Bucket, Key: "kept" })));
  for (const ends of [true, false]) {
    const outcome = await new Promise<string>((resolve) => {
      const request = httpRequest(url, { method: "PUT", headers: { "content-length": "1000000" } }, (response) => {
        response.resume().on("end", () => resolve(String(response.statusCode)));
      });
      request.on("error", (error) => resolve(error.message));
      // Half of it. Then the sender disconnects, or sends nothing more.
      request.write(Buffer.alloc(500_000), () => {
        if (ends) request.destroy(new Error("gone"));
      });
    });
    assert.match(outcome, ends ? /gone/ : /400/);
    assert.equal((await content("kept")).toString(), "kept");
  }
  await s3.send(new DeleteObjectCommand({ Bucket, Key: "kept" }));
});

test("the server's log has no secret of a key", async () => {
  assert.ok(!shared.server.stderr().includes(endpoint.secretAccessKey));
  assert.ok(!shared.server.stderr().includes("X-Amz-Signature"));
});
