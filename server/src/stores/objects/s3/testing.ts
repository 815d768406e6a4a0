import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
} from "@aws-sdk/client-s3";
import { s3Server } from "../../../../../tests/fixtures/s3-server.ts";
import type { TestPlace } from "../testing/suite.ts";
import { blobPath } from "../layout.ts";
import { openTestObjects } from "../testing/store.ts";
import { clientOf, S3_DEFAULTS } from "./client.ts";
import { openS3, type S3Options } from "./driver.ts";

const MIB = 1024 * 1024;

/** Returns the store that tests may use. */
export async function testStore(): Promise<Omit<S3Options, "bucket">> {
  return { ...(await s3Server()), partBytes: 5 * MIB };
}

/** Creates a bucket, with records beside it or in the database at `url`. */
export async function s3Place(store: Omit<S3Options, "bucket">): Promise<TestPlace & { readonly options: S3Options }> {
  const path = await mkdtemp(join(tmpdir(), "mooring-objects-"));
  const bucket = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  const options = { ...store, bucket, prefix: "in/here/" };
  const client = clientOf({ ...S3_DEFAULTS, ...options });
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  const placeOf = (id: string): { Bucket: string; Key: string } => ({
    Bucket: bucket,
    Key: `in/here/blobs/${blobPath(id)}`,
  });
  return {
    options,
    open: (change) => openTestObjects(path, { openDriver: (context) => openS3(options, context), ...change }),
    damage: async (id, how) => {
      if (how === "remove") return void (await client.send(new DeleteObjectCommand(placeOf(id))));
      const { Body } = await client.send(new GetObjectCommand(placeOf(id)));
      const bytes = (await Body?.transformToByteArray()) ?? new Uint8Array();
      const changed = how === "cut" ? bytes.subarray(0, 10) : bytes.map((byte) => byte ^ 1);
      await client.send(new PutObjectCommand({ ...placeOf(id), Body: changed }));
    },
    plant: async (id) => void (await client.send(new PutObjectCommand({ ...placeOf(id), Body: "nobody's" }))),
    temporary: () => uploadsUnderWay(options),
    remove: async () => {
      await emptyBucket(client, bucket);
      client.destroy();
      await rm(path, { recursive: true, force: true });
    },
  };
}

/** Lists the keys of unfinished uploads. */
export async function uploadsUnderWay(options: S3Options): Promise<string[]> {
  const client = clientOf({ ...S3_DEFAULTS, ...options });
  const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket: options.bucket }));
  client.destroy();
  return Uploads.map(({ Key }) => Key ?? "");
}

async function emptyBucket(client: S3Client, bucket: string): Promise<void> {
  for (;;) {
    const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: bucket }));
    if (Contents.length === 0) break;
    for (const { Key } of Contents) await client.send(new DeleteObjectCommand({ Bucket: bucket, Key }));
  }
  await client.send(new DeleteBucketCommand({ Bucket: bucket }));
}
