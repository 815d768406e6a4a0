/** MinIO's client for JavaScript. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { Agent as HttpsAgent } from "node:https";
import { createRequire } from "node:module";
import { join } from "node:path";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { Client as Minio, CopyDestinationOptions, CopySourceOptions } from "minio";
import { asked } from "./aws-sdk-js.ts";
import {
  LARGE_BYTES,
  assertSameFile,
  contentOf,
  fileWith,
  sha256,
  type Client,
  type Place,
  type Step,
} from "./client.ts";

type Use = (minio: Minio, place: Place) => Promise<void>;

function step(name: string, use: Use): Step {
  return { name, run: (place) => use(minioAt(place), place) };
}

function minioAt(place: Place): Minio {
  const { hostname, port, protocol } = new URL(place.url);
  return new Minio({
    endPoint: hostname,
    port: Number(port),
    useSSL: protocol === "https:",
    accessKey: place.accessKeyId,
    secretKey: place.secretAccessKey,
    region: place.region,
    partSize: 5 * 1024 * 1024,
    ...(place.caFile === null ? {} : { transportAgent: new HttpsAgent({ ca: readFileSync(place.caFile) }) }),
  });
}

async function bytesOf(minio: Minio, { bucket }: Place, key: string): Promise<Buffer> {
  return buffer(await minio.getObject(bucket, key));
}

const bucket: Use = async (minio, place) => {
  await minio.makeBucket(place.bucket, place.region);
  assert.ok(await minio.bucketExists(place.bucket));
  assert.ok((await minio.listBuckets()).some(({ name }) => name === place.bucket));
};

const objects: Use = async (minio, place) => {
  const content = contentOf(100_000);
  const put = await minio.putObject(place.bucket, "a/object ü", content, content.length, { "X-Amz-Meta-Who": "me" });
  const stat = await minio.statObject(place.bucket, "a/object ü");
  assert.deepEqual([stat.size, stat.etag, stat.metaData["who"]], [content.length, put.etag, "me"]);
  assert.equal(sha256(await bytesOf(minio, place, "a/object ü")), sha256(content));
  const part = await buffer(await minio.getPartialObject(place.bucket, "a/object ü", 10, 20));
  assert.deepEqual(part, content.subarray(10, 30));
  await minio.removeObject(place.bucket, "a/object ü");
  await assert.rejects(minio.statObject(place.bucket, "a/object ü"));
};

const large: Use = async (minio, place) => {
  const content = contentOf(LARGE_BYTES);
  const path = fileWith(place, "large", content);
  await minio.fPutObject(place.bucket, "large", path);
  await minio.fGetObject(place.bucket, "large", join(place.directory, "again"));
  assertSameFile(join(place.directory, "again"), content);
  await minio.putObject(
    place.bucket,
    "stream",
    Readable.from([content.subarray(0, 6_000_000), content.subarray(6_000_000)]),
  );
  assert.equal(sha256(await bytesOf(minio, place, "stream")), sha256(content));
};

const listing: Use = async (minio, place) => {
  const keys = ["list/a b+c", "list/b/1", "list/b/2", "list/ü/文件 😀"];
  for (const key of keys) await minio.putObject(place.bucket, key, "");
  for (const list of [minio.listObjectsV2.bind(minio), minio.listObjects.bind(minio)]) {
    const all: { name?: string }[] = await list(place.bucket, "list/", true).toArray();
    assert.deepEqual(
      all.map(({ name }) => name),
      keys,
    );
    const level: { prefix?: string }[] = await list(place.bucket, "list/", false).toArray();
    assert.deepEqual(
      level.flatMap(({ prefix }) => prefix ?? []),
      ["list/b/", "list/ü/"],
    );
  }
};

const copyAndTag: Use = async (minio, place) => {
  const source = new CopySourceOptions({ Bucket: place.bucket, Object: "list/a b+c" });
  await minio.copyObject(source, new CopyDestinationOptions({ Bucket: place.bucket, Object: "copy" }));
  await minio.setObjectTagging(place.bucket, "copy", { kind: "a b" });
  assert.deepEqual(await minio.getObjectTagging(place.bucket, "copy"), [{ Key: "kind", Value: "a b" }]);
  await minio.removeObjectTagging(place.bucket, "copy", { versionId: "" });
};

const presigned: Use = async (minio, place) => {
  const put = await minio.presignedPutObject(place.bucket, "signed ü", 60);
  assert.equal((await asked(place, "PUT", put, "by a URL")).status, 200);
  const get = await minio.presignedGetObject(place.bucket, "signed ü", 60);
  assert.deepEqual(await asked(place, "GET", get), { status: 200, text: "by a URL" });
};

const remove: Use = async (minio, place) => {
  const all: { name?: string }[] = await minio.listObjectsV2(place.bucket, "", true).toArray();
  await minio.removeObjects(
    place.bucket,
    all.flatMap(({ name }) => name ?? []),
  );
  await minio.removeBucket(place.bucket);
  assert.equal(await minio.bucketExists(place.bucket), false);
};

export const minioJs: Client = {
  name: "minio-js",
  version: async () => (createRequire(import.meta.url)("minio/package.json") as { version: string }).version,
  steps: [
    step("make and find a bucket", bucket),
    step("put, stat, get, range and delete an object with metadata", objects),
    step("upload and download a large file and a stream in parts", large),
    step("list, with and without levels, by both versions", listing),
    step("copy, and tag an object", copyAndTag),
    step("presigned PUT and GET", presigned),
    step("delete many objects and the bucket", remove),
  ],
};
