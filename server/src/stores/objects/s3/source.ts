import type { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { GetObjectCommand, type S3Client } from "@aws-sdk/client-s3";
import { Problem } from "#kernel/problem.ts";
import type { ByteSource, StoredRange } from "../driver.ts";
import { BlobDamaged } from "../errors.ts";
import { statusOf, upstreamProblem } from "./client.ts";

export interface S3Place {
  readonly client: S3Client;
  readonly bucket: string;
  readonly key: string;
  readonly id: string;
  readonly attempts: number;
}

const RETRY_MS = 100;

/** Reads an object. When the connection breaks, requests the rest again. */
export class S3Source implements ByteSource {
  readonly #place: S3Place;
  readonly #size: number;
  readonly #end: number;
  #position: number;
  #body: Readable | undefined;
  #chunks: AsyncIterator<Uint8Array> | undefined;
  #rest: Uint8Array = new Uint8Array();
  #attempts = 1;

  private constructor(place: S3Place, { size, start, length }: StoredRange) {
    this.#place = place;
    this.#size = size;
    this.#position = start;
    this.#end = start + length;
  }

  static async open(place: S3Place, range: StoredRange): Promise<S3Source> {
    const source = new S3Source(place, range);
    if (range.length > 0) await source.#ask();
    return source;
  }

  async read(buffer: Buffer): Promise<number> {
    const wanted = Math.min(buffer.length, this.#end - this.#position);
    let done = 0;
    while (done < wanted) {
      if (this.#rest.length === 0) this.#rest = await this.#next();
      const piece = this.#rest.subarray(0, wanted - done);
      buffer.set(piece, done);
      this.#rest = this.#rest.subarray(piece.length);
      done += piece.length;
      this.#position += piece.length;
    }
    return done;
  }

  async close(): Promise<void> {
    this.#body?.on("error", () => {}).destroy();
    this.#body = undefined;
  }

  /** Returns the next chunk, by a new request if the current one breaks. */
  async #next(): Promise<Uint8Array> {
    for (;;) {
      try {
        if (this.#chunks === undefined) await this.#ask();
        const result = await this.#chunks?.next();
        if (result !== undefined && result.done !== true) return result.value;
        throw new Error(`cannot read the object: its body ended at byte ${this.#position}`);
      } catch (error) {
        await this.close();
        this.#chunks = undefined;
        if (error instanceof BlobDamaged || error instanceof Problem) throw error;
        if (this.#attempts++ >= this.#place.attempts) throw upstreamProblem(error);
        await delay(RETRY_MS * this.#attempts);
      }
    }
  }

  async #ask(): Promise<void> {
    const { client, bucket, key, id } = this.#place;
    const Range = `bytes=${this.#position}-${this.#end - 1}`;
    const answer = await client
      .send(new GetObjectCommand({ Bucket: bucket, Key: key, Range }))
      .catch((error: unknown) => {
        if (statusOf(error) === 404) throw new BlobDamaged(id, "its object is missing upstream", { cause: error });
        if (statusOf(error) === 416) throw new BlobDamaged(id, "its object was cut upstream", { cause: error });
        throw upstreamProblem(error);
      });
    const body = answer.Body as Readable;
    const [, total] = /\/(\d+)$/.exec(answer.ContentRange ?? "") ?? [];
    if (Number(total) !== this.#size) {
      body.on("error", () => {}).destroy();
      throw new BlobDamaged(id, `its object has ${total ?? "an unknown number of"} bytes, not ${this.#size}`);
    }
    this.#body = body;
    this.#chunks = body[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  }
}
