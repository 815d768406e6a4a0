import { createHash } from "node:crypto";
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from "@aws-sdk/client-s3";
import type { Archive, ArchivedFile, ArchiveRange, Chunks } from "./types.ts";

/** Larger files are sent in parts of this size. 10,000 parts are the most of S3, so a file has at most 320 GiB. */
const PART_BYTES = 32 * 1024 * 1024;

export interface BucketPlace {
  readonly bucket: string;
  /** Empty, or ends with `/`. */
  readonly prefix: string;
}

export interface BucketAccess {
  /** AWS when absent. */
  readonly endpoint?: string | undefined;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

/** An archive in a bucket. */
export class BucketArchive implements Archive {
  readonly name: string;
  readonly #place: BucketPlace;
  readonly #client: S3Client;

  constructor(place: BucketPlace, { endpoint, region, accessKeyId, secretAccessKey, sessionToken }: BucketAccess) {
    this.name = `s3://${place.bucket}/${place.prefix}`;
    this.#place = place;
    this.#client = new S3Client({
      region,
      ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
      credentials: { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) },
      responseChecksumValidation: "WHEN_REQUIRED",
    });
  }

  async write(path: string, content: Chunks): Promise<ArchivedFile> {
    const hash = createHash("sha256");
    let size = 0;
    const upload = new Upload(this.#client, this.#at(path));
    try {
      let part: Uint8Array[] = [];
      let bytes = 0;
      for await (const chunk of content) {
        hash.update(chunk);
        part.push(chunk);
        bytes += chunk.length;
        size += chunk.length;
        if (bytes < PART_BYTES) continue;
        await upload.part(Buffer.concat(part));
        [part, bytes] = [[], 0];
      }
      await upload.end(Buffer.concat(part));
    } catch (error) {
      await upload.abort();
      throw this.#failure("write", path, error);
    }
    return { path, size, sha256: hash.digest("hex") };
  }

  async create(path: string, content: Uint8Array): Promise<boolean> {
    const sent = { ...this.#at(path), Body: content };
    try {
      await this.#client.send(new PutObjectCommand({ ...sent, IfNoneMatch: "*" }));
      return true;
    } catch (error) {
      const status = statusOf(error);
      if (status === 412 || status === 409) return false;
      // Some stores have no conditional writes.
      if (status !== 501 && (error as Error).name !== "NotImplemented") throw this.#failure("write", path, error);
    }
    if ((await this.sizeOf(path)) !== undefined) return false;
    await this.#client.send(new PutObjectCommand(sent)).catch((error: unknown) => {
      throw this.#failure("write", path, error);
    });
    return true;
  }

  async *read(path: string, range?: ArchiveRange): AsyncGenerator<Uint8Array> {
    const part = range === undefined ? {} : { Range: `bytes=${range.start}-${range.end - 1}` };
    const asked = new GetObjectCommand({ ...this.#at(path), ...part });
    const { Body: body } = await this.#client.send(asked).catch((error: unknown) => {
      throw isAbsent(error) ? new Error(`${path} is missing in ${this.name}`) : this.#failure("read", path, error);
    });
    yield* (body ?? []) as AsyncIterable<Uint8Array>;
  }

  async sizeOf(path: string): Promise<number | undefined> {
    try {
      return (await this.#client.send(new HeadObjectCommand(this.#at(path)))).ContentLength;
    } catch (error) {
      if (isAbsent(error)) return undefined;
      throw this.#failure("read", path, error);
    }
  }

  async *paths(folder = ""): AsyncGenerator<string> {
    const { bucket: Bucket, prefix } = this.#place;
    for (let token: string | undefined, isFirst = true; isFirst || token !== undefined; isFirst = false) {
      const page = { Bucket, Prefix: prefix + folder, ...(token === undefined ? {} : { ContinuationToken: token }) };
      const listed = await this.#client.send(new ListObjectsV2Command(page)).catch((error: unknown) => {
        throw this.#failure("list", "", error);
      });
      for (const { Key: key = "" } of listed.Contents ?? []) yield key.slice(prefix.length);
      token = listed.NextContinuationToken;
    }
  }

  async remove(path: string): Promise<void> {
    await this.#client.send(new DeleteObjectCommand(this.#at(path))).catch((error: unknown) => {
      throw this.#failure("delete", path, error);
    });
  }

  async finish(): Promise<void> {}

  close(): void {
    this.#client.destroy();
  }

  #at(path: string): { Bucket: string; Key: string } {
    return { Bucket: this.#place.bucket, Key: this.#place.prefix + path };
  }

  #failure(verb: string, path: string, error: unknown): Error {
    const { name, message } = error as Error;
    return new Error(`cannot ${verb} ${this.name}${path}: ${message === "" ? name : message}`, { cause: error });
  }
}

/** Sends a small file as one request, and a large one in parts. */
class Upload {
  readonly #client: S3Client;
  readonly #at: { Bucket: string; Key: string };
  readonly #parts: { PartNumber: number; ETag: string | undefined }[] = [];
  #id: string | undefined;

  constructor(client: S3Client, at: { Bucket: string; Key: string }) {
    this.#client = client;
    this.#at = at;
  }

  async part(Body: Buffer): Promise<void> {
    this.#id ??= (await this.#client.send(new CreateMultipartUploadCommand(this.#at))).UploadId;
    const PartNumber = this.#parts.length + 1;
    const sent = { ...this.#at, UploadId: this.#id, PartNumber, Body };
    const { ETag } = await this.#client.send(new UploadPartCommand(sent));
    this.#parts.push({ PartNumber, ETag });
  }

  async end(rest: Buffer): Promise<void> {
    if (this.#id === undefined)
      return void (await this.#client.send(new PutObjectCommand({ ...this.#at, Body: rest })));
    if (rest.length > 0) await this.part(rest);
    const MultipartUpload = { Parts: this.#parts };
    await this.#client.send(new CompleteMultipartUploadCommand({ ...this.#at, UploadId: this.#id, MultipartUpload }));
  }

  /** Never rejects. */
  async abort(): Promise<void> {
    if (this.#id === undefined) return;
    const at = { ...this.#at, UploadId: this.#id };
    await this.#client.send(new AbortMultipartUploadCommand(at)).catch(() => undefined); // its error is not the reason
  }
}

function statusOf(error: unknown): number | undefined {
  return (error as { $metadata?: { httpStatusCode?: number } } | null)?.$metadata?.httpStatusCode;
}

function isAbsent(error: unknown): boolean {
  return statusOf(error) === 404;
}
