import { crc32 } from "node:zlib";
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  PutObjectCommand,
  UploadPartCommand,
  type CompletedPart,
  type S3Client,
} from "@aws-sdk/client-s3";
import type { BlobSink, CreateOptions } from "../driver.ts";
import { upstreamProblem } from "./client.ts";

/** The most parts of one upload in S3. */
const PARTS_MAX = 10_000;
const MIB = 1024 * 1024;

export interface S3SinkOptions extends CreateOptions {
  readonly client: S3Client;
  readonly bucket: string;
  readonly key: string;
  readonly partBytes: number;
  readonly partsUnderWay: number;
}

interface Upload {
  readonly id: string;
  readonly parts: CompletedPart[];
  readonly underWay: Set<Promise<void>>;
  /** Buffers of parts that the store has. The garbage collector frees buffers of this size late. */
  readonly spare: ArrayBuffer[];
}

/** Writes a blob as an object: a small one by one request, a larger one by an upload in parts, several at once. */
export class S3Sink implements BlobSink {
  readonly keepsChunks = true;
  readonly #options: S3SinkOptions;
  readonly #partBytes: number;
  readonly #stop = new AbortController();
  #chunks: Uint8Array[] = [];
  #bytes = 0;
  #upload: Upload | undefined;
  #sent = false;
  #failure: { readonly error: unknown } | undefined;

  constructor(options: S3SinkOptions) {
    this.#options = options;
    // All parts have one size, because some stores require it.
    const least = Math.ceil((options.size ?? options.bytesMax) / PARTS_MAX / MIB) * MIB;
    this.#partBytes = Math.max(options.partBytes, least);
  }

  async write(chunks: readonly Uint8Array[], bytes: number): Promise<void> {
    this.#chunks.push(...chunks);
    this.#bytes += bytes;
    try {
      // More than a part, so that the last part is never empty.
      while (this.#bytes > this.#partBytes) await this.#sendPart(this.#partBytes);
    } catch (error) {
      throw upstreamProblem(error);
    }
  }

  async commit(): Promise<void> {
    try {
      if (this.#upload === undefined) await this.#put(this.#cut(this.#bytes, new ArrayBuffer(this.#bytes)));
      else await this.#complete(this.#upload);
    } catch (error) {
      throw upstreamProblem(error);
    }
  }

  async abort(): Promise<void> {
    const { client, bucket, key } = this.#options;
    this.#chunks = [];
    this.#stop.abort();
    const upload = this.#upload;
    if (upload !== undefined) {
      await Promise.allSettled(upload.underWay);
      await client
        .send(new AbortMultipartUploadCommand({ Bucket: bucket, Key: key, UploadId: upload.id }))
        .catch(ignoreNoUpload);
    }
    if (this.#sent) await client.send(new DeleteObjectCommand({ Bucket: bucket, Key: key }));
  }

  async #put(body: Buffer): Promise<void> {
    const { client, bucket, key, recorded } = this.#options;
    await recorded;
    this.#sent = true;
    const input = { Bucket: bucket, Key: key, Body: body, ChecksumCRC32: checksum(body) };
    await client.send(new PutObjectCommand(input), { abortSignal: this.#stop.signal });
  }

  async #sendPart(bytes: number): Promise<void> {
    const upload = (this.#upload ??= await this.#begin());
    while (upload.underWay.size >= this.#options.partsUnderWay) await Promise.race(upload.underWay);
    if (this.#failure !== undefined) throw this.#failure.error;
    const body = this.#cut(bytes, upload.spare.pop() ?? new ArrayBuffer(this.#partBytes));
    const sending = this.#send(upload, upload.parts.length + 1, body)
      .catch((error: unknown) => void (this.#failure ??= { error }))
      .finally(() => upload.underWay.delete(sending));
    upload.underWay.add(sending);
  }

  async #begin(): Promise<Upload> {
    const { client, bucket, key, recorded } = this.#options;
    await recorded;
    const input = { Bucket: bucket, Key: key, ChecksumAlgorithm: "CRC32" } as const;
    const { UploadId } = await client.send(new CreateMultipartUploadCommand(input), { abortSignal: this.#stop.signal });
    if (UploadId === undefined) throw new Error("cannot begin an upload in parts: the store gave no id");
    return { id: UploadId, parts: [], underWay: new Set(), spare: [] };
  }

  async #send(upload: Upload, number: number, body: Buffer<ArrayBuffer>): Promise<void> {
    const { client, bucket, key } = this.#options;
    const part: CompletedPart = { PartNumber: number, ChecksumCRC32: checksum(body) };
    upload.parts.push(part);
    const input = { Bucket: bucket, Key: key, UploadId: upload.id, Body: body, ...part, PartNumber: number };
    const { ETag } = await client.send(new UploadPartCommand(input), { abortSignal: this.#stop.signal });
    if (ETag !== undefined) part.ETag = ETag;
    upload.spare.push(body.buffer);
  }

  async #complete(upload: Upload): Promise<void> {
    const { client, bucket, key } = this.#options;
    await this.#sendPart(this.#bytes);
    await Promise.all(upload.underWay);
    if (this.#failure !== undefined) throw this.#failure.error;
    this.#sent = true;
    const input = { Bucket: bucket, Key: key, UploadId: upload.id, MultipartUpload: { Parts: upload.parts } };
    await client.send(new CompleteMultipartUploadCommand(input), { abortSignal: this.#stop.signal });
  }

  /** Moves the first `bytes` of the waiting chunks into `memory`. */
  #cut(bytes: number, memory: ArrayBuffer): Buffer<ArrayBuffer> {
    const cut = Buffer.from(memory, 0, bytes);
    let filled = 0;
    let used = 0;
    for (const chunk of this.#chunks) {
      if (filled + chunk.length > bytes) break;
      cut.set(chunk, filled);
      filled += chunk.length;
      used += 1;
    }
    this.#chunks.splice(0, used);
    const [next] = this.#chunks;
    if (next !== undefined && filled < bytes) {
      cut.set(next.subarray(0, bytes - filled), filled);
      this.#chunks[0] = next.subarray(bytes - filled);
    }
    this.#bytes -= bytes;
    return cut;
  }
}

function checksum(body: Buffer): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32(body));
  return bytes.toString("base64");
}

function ignoreNoUpload(error: unknown): void {
  if ((error as Error).name !== "NoSuchUpload") throw error;
}
