import {
  AbortMultipartUploadCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
} from "@aws-sdk/client-s3";
import { isId, newId } from "#kernel/ids.ts";
import type { Clock } from "#kernel/time.ts";
import type {
  BlobDriver,
  BlobSink,
  ByteSource,
  CreateOptions,
  DeletedBlob,
  DriverHealth,
  StoredBlob,
  StoredRange,
  StrayFile,
} from "../driver.ts";
import { BlobDamaged } from "../errors.ts";
import { blobAt, blobPath } from "../layout.ts";
import type { ObjectLog } from "../settings.ts";
import { clientOf, S3_DEFAULTS, statusOf, unlessAbsent, upstreamProblem, type S3Settings } from "./client.ts";
import { S3Direct } from "./direct.ts";
import { S3Sink } from "./sink.ts";
import { S3Source } from "./source.ts";

export type S3Options = Partial<S3Settings> & Pick<S3Settings, "bucket" | "accessKeyId" | "secretAccessKey">;

/** The most keys in one delete request. */
const DELETE_MAX = 1000;

/**
 * Opens a bucket, or a prefix of it, which several servers may share. Keys: `{prefix}store-id`,
 * `{prefix}blobs/ab/blob_…ab`, `{prefix}incoming/{organization}/{name}`.
 */
export async function openS3(
  options: S3Options,
  { clock, log }: { clock: Clock; log: ObjectLog },
): Promise<BlobDriver> {
  const settings: S3Settings = { ...S3_DEFAULTS, ...options };
  const client = clientOf(settings);
  try {
    return new S3Driver({ settings, client, storeId: await storeIdOf(settings, client, clock), clock, log });
  } catch (error) {
    client.destroy();
    const { endpoint = "AWS", bucket } = settings;
    const reason = (error as { cause?: Error }).cause?.message ?? (error as Error).message;
    throw new Error(`cannot open the bucket ${bucket} at ${endpoint}: ${reason}`, { cause: error });
  }
}

/** Returns the id of the store. When two servers open a new bucket at once, only one creates the id. */
async function storeIdOf(settings: S3Settings, client: S3Client, clock: Clock): Promise<string> {
  const place = { Bucket: settings.bucket, Key: `${settings.prefix}store-id` };
  const kept = await readStoreId(client, place);
  if (kept !== undefined) return kept;
  const listed = await client.send(
    new ListObjectsV2Command({ Bucket: settings.bucket, Prefix: `${settings.prefix}blobs/`, MaxKeys: 1 }),
  );
  if ((listed.KeyCount ?? 0) > 0)
    throw new Error(`${place.Key} is missing, but there are blobs beside it; restore it from a backup`);
  const id = newId("store", clock.nowMs());
  await client.send(new PutObjectCommand({ ...place, Body: `${id}\n`, IfNoneMatch: "*" })).catch((error: unknown) => {
    if (statusOf(error) !== 412 && statusOf(error) !== 409) throw error;
  });
  return (await readStoreId(client, place)) ?? id;
}

async function readStoreId(client: S3Client, place: { Bucket: string; Key: string }): Promise<string | undefined> {
  const answer = await client.send(new GetObjectCommand(place)).catch((error: unknown) => {
    if ((error as Error).name === "NoSuchKey") return undefined;
    throw error;
  });
  if (answer === undefined) return undefined;
  const id = ((await answer.Body?.transformToString()) ?? "").trim();
  if (!isId("store", id)) throw new Error(`${place.Key} is damaged; restore it from a backup`);
  return id;
}

interface S3Parts {
  readonly settings: S3Settings;
  readonly client: S3Client;
  readonly storeId: string;
  readonly clock: Clock;
  readonly log: ObjectLog;
}

class S3Driver implements BlobDriver {
  readonly kind = "s3";
  readonly exclusive = false;
  readonly storeId: string;
  readonly direct: S3Direct | null;
  readonly #settings: S3Settings;
  readonly #client: S3Client;
  readonly #log: ObjectLog;

  constructor({ settings, client, storeId, clock, log }: S3Parts) {
    this.#settings = settings;
    this.#client = client;
    this.storeId = storeId;
    this.#log = log;
    this.direct = settings.direct ? new S3Direct({ settings, client, clock, keyOf: (id) => this.#key(id) }) : null;
  }

  newId(nowMs: number): string {
    return newId("blob", nowMs);
  }

  async create(id: string, options: CreateOptions): Promise<BlobSink> {
    const { bucket, partBytes, partsUnderWay } = this.#settings;
    return new S3Sink({ ...options, client: this.#client, bucket, key: this.#key(id), partBytes, partsUnderWay });
  }

  async open(id: string, range: StoredRange): Promise<ByteSource> {
    const { bucket, attempts } = this.#settings;
    if (range.length === 0) await this.#assertSize(id, range.size);
    return S3Source.open({ client: this.#client, bucket, key: this.#key(id), id, attempts }, range);
  }

  async delete(blobs: readonly DeletedBlob[]): Promise<string[]> {
    const deleted: string[] = [];
    for (let at = 0; at < blobs.length; at += DELETE_MAX) {
      const batch = blobs.slice(at, at + DELETE_MAX);
      try {
        for (const { id, complete } of batch) if (!complete) await this.#abortUploads(id);
        deleted.push(...(await this.#deleteBatch(batch.map(({ id }) => id))));
      } catch (error) {
        this.#log.warn({ err: error }, "cannot delete blobs upstream; the deletion will be retried");
      }
    }
    return deleted;
  }

  async sizeOf(id: string): Promise<number | undefined> {
    const input = { Bucket: this.#settings.bucket, Key: this.#key(id) };
    return (await unlessAbsent(this.#client.send(new HeadObjectCommand(input))))?.ContentLength;
  }

  async *list(): AsyncGenerator<StoredBlob | StrayFile> {
    const prefix = `${this.#settings.prefix}blobs/`;
    let token: string | undefined;
    do {
      const input = {
        Bucket: this.#settings.bucket,
        Prefix: prefix,
        ...(token === undefined ? {} : { ContinuationToken: token }),
      };
      const page = await this.#client.send(new ListObjectsV2Command(input)).catch((error: unknown) => {
        throw upstreamProblem(error);
      });
      for (const { Key = "", Size = 0 } of page.Contents ?? []) {
        const id = blobAt(Key.slice(prefix.length));
        yield id === undefined ? { stray: Key } : { id, bytes: Size };
      }
      token = page.NextContinuationToken;
    } while (token !== undefined);
  }

  async check(): Promise<DriverHealth> {
    try {
      await this.#client.send(new HeadBucketCommand({ Bucket: this.#settings.bucket }));
      return { ok: true, detail: "blobs can be written", reason: null };
    } catch (error) {
      const detail = `the upstream store does not answer as expected: ${(error as Error).name}`;
      return { ok: false, detail, reason: "not_answering" };
    }
  }

  async close(): Promise<void> {
    this.direct?.close();
    this.#client.destroy();
  }

  async #assertSize(id: string, size: number): Promise<void> {
    const found = await this.sizeOf(id);
    if (found !== size)
      throw new BlobDamaged(
        id,
        found === undefined ? "its object is missing upstream" : `its object has ${found} bytes, not ${size}`,
      );
  }

  async #deleteBatch(ids: readonly string[]): Promise<string[]> {
    const keys = ids.map((id) => ({ Key: this.#key(id) }));
    if (keys.length === 0) return [];
    const { Errors = [] } = await this.#client.send(
      new DeleteObjectsCommand({ Bucket: this.#settings.bucket, Delete: { Objects: keys, Quiet: true } }),
    );
    const failed = new Set(Errors.map(({ Key }) => Key));
    for (const { Key, Code } of Errors)
      this.#log.warn({ key: Key, code: Code }, "cannot delete a blob upstream; the deletion will be retried");
    return ids.filter((id) => !failed.has(this.#key(id)));
  }

  /** Aborts unfinished uploads. Otherwise the store would keep, and charge for, parts that a crashed server sent. */
  async #abortUploads(id: string): Promise<void> {
    const place = { Bucket: this.#settings.bucket, Key: this.#key(id) };
    for (const UploadId of await this.#uploads(place)) {
      await this.#client.send(new AbortMultipartUploadCommand({ ...place, UploadId }));
    }
    // A part that was being sent may revive an upload. S3's documentation says to check again.
    if ((await this.#uploads(place)).length > 0)
      throw new Error("an upload in parts is still there after it was aborted");
  }

  async #uploads({ Bucket, Key }: { Bucket: string; Key: string }): Promise<string[]> {
    const { Uploads = [] } = await this.#client.send(new ListMultipartUploadsCommand({ Bucket, Prefix: Key }));
    return Uploads.filter((upload) => upload.Key === Key).flatMap(({ UploadId }) => UploadId ?? []);
  }

  #key(id: string): string {
    return `${this.#settings.prefix}blobs/${blobPath(id)}`;
  }
}
