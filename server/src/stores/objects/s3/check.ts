import { randomUUID } from "node:crypto";
import {
  CopyObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from "@aws-sdk/client-s3";
import { clientOf, S3_DEFAULTS, type S3Settings } from "./client.ts";
import type { S3Options } from "./driver.ts";

/** Tries every operation that the store needs from the bucket, with a new object. Returns the failures. */
export async function checkUpstream(options: S3Options): Promise<string[]> {
  const settings: S3Settings = { ...S3_DEFAULTS, ...options, attempts: 1 };
  const client = clientOf(settings);
  const { bucket: Bucket, prefix } = settings;
  const Key = `${prefix}doctor/${randomUUID()}`;
  const Copy = `${Key}-copy`;
  const problems: string[] = [];
  const attempt = async (what: string, work: () => Promise<unknown>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      problems.push(`${what}: ${(error as Error).name} ${(error as Error).message}`.trim());
    }
  };
  try {
    await attempt("can't be written", () => client.send(new PutObjectCommand({ Bucket, Key, Body: "probe" })));
    if (problems.length > 0) return problems; // all others would fail for the same reason
    await attempt("can't be read", async () =>
      (await client.send(new GetObjectCommand({ Bucket, Key }))).Body?.transformToString(),
    );
    const CopySource = [Bucket, ...Key.split("/")].map(encodeURIComponent).join("/");
    await attempt("can't copy within itself", () =>
      client.send(new CopyObjectCommand({ Bucket, Key: Copy, CopySource })),
    );
    await attempt("can't be listed", () =>
      client.send(new ListObjectsV2Command({ Bucket, Prefix: prefix, MaxKeys: 1 })),
    );
    const Delete = { Objects: [{ Key }, { Key: Copy }], Quiet: true };
    await attempt("keeps deleted objects", async () => {
      const { Errors: [first] = [] } = await client.send(new DeleteObjectsCommand({ Bucket, Delete }));
      if (first !== undefined) throw new Error(first.Code ?? "");
    });
    return problems;
  } finally {
    client.destroy();
  }
}
