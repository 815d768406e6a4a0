import { createHash, type Hash } from "node:crypto";
import { Transform, type TransformCallback } from "node:stream";
import { S3Error } from "#domain/s3/index.ts";

/** Checks the signatures of a streaming upload. Each one is computed over the previous one. */
export interface ChunkSigner {
  /** Whether the signature is right for the next chunk, which has this SHA-256 (hexadecimal). */
  chunk(sha256: string, signature: string): boolean;
  /** Whether the signature is right for the trailers. */
  trailer(sha256: string, signature: string): boolean;
}

export interface AwsChunkedOptions {
  /** Null: chunks carry no signatures. */
  readonly signer: ChunkSigner | null;
  /** Value of `x-amz-decoded-content-length`: the exact number of decoded bytes. */
  readonly decodedLength: number;
  /** Lower-case names of `x-amz-trailer`; null when no trailers may come. */
  readonly trailers: readonly string[] | null;
}

const HEADER_BYTES_MAX = 256;
const TRAILERS_BYTES_MAX = 16 * 1024;
const SIGNATURE_TRAILER = "x-amz-trailer-signature";
const [CR, LF] = [13, 10];

type State = "header" | "data" | "data-end" | "trailers" | "done";

/**
 * Removes the framing of `Content-Encoding: aws-chunked`. The last signature and the trailers come last, so the output
 * counts only when the stream has ended without an error. Errors: S3Error `IncompleteBody`, `InvalidRequest`,
 * `SignatureDoesNotMatch`, `MalformedTrailerError`.
 */
export class AwsChunkedDecoder extends Transform {
  readonly #options: AwsChunkedOptions;
  readonly #trailers = new Map<string, string>();
  #state: State = "header";
  /** The start of a line whose end has not arrived yet. */
  #line: Buffer = Buffer.alloc(0);
  #signed: { readonly hash: Hash; readonly signature: string } | undefined;
  #left = 0;
  #decoded = 0;
  #trailersBytes = 0;

  constructor(options: AwsChunkedOptions) {
    super({ readableHighWaterMark: 256 * 1024 });
    this.#options = options;
  }

  /** Lower-case names and values; complete at the end of the stream. */
  get trailers(): ReadonlyMap<string, string> {
    return this.#trailers;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    try {
      let rest = chunk;
      while (rest.length > 0) rest = this.#state === "data" ? this.#takeData(rest) : this.#takeLine(rest);
      done();
    } catch (error) {
      done(error as Error);
    }
  }

  override _flush(done: TransformCallback): void {
    done(this.#state === "done" ? null : new S3Error("IncompleteBody", "The body ended before its last chunk."));
  }

  #takeData(bytes: Buffer): Buffer {
    const data = bytes.subarray(0, this.#left);
    this.#left -= data.length;
    this.#decoded += data.length;
    this.#signed?.hash.update(data);
    this.push(data);
    if (this.#left === 0) {
      this.#checkChunk();
      this.#state = "data-end";
    }
    return bytes.subarray(data.length);
  }

  #takeLine(bytes: Buffer): Buffer {
    if (this.#state === "done") throw new S3Error("InvalidRequest", "Bytes follow the last chunk.");
    const max = this.#state === "trailers" ? TRAILERS_BYTES_MAX : HEADER_BYTES_MAX;
    const end = bytes.indexOf(LF);
    const part = end < 0 ? bytes : bytes.subarray(0, end);
    if (this.#line.length + part.length > max) throw new S3Error("InvalidRequest", "The head of a chunk is too long.");
    const line = this.#line.length === 0 ? part : Buffer.concat([this.#line, part]);
    if (end < 0) {
      this.#line = Buffer.from(line);
      return bytes.subarray(bytes.length);
    }
    this.#line = Buffer.alloc(0);
    if (line.at(-1) !== CR) throw new S3Error("InvalidRequest", "A line of the chunked body has no CR at its end.");
    this.#onLine(line.toString("latin1", 0, line.length - 1));
    return bytes.subarray(end + 1);
  }

  #onLine(line: string): void {
    if (this.#state === "header") this.#onHeader(line);
    else if (this.#state === "trailers") this.#onTrailer(line);
    else if (line === "") this.#state = "header";
    else throw new S3Error("InvalidRequest", "A chunk has more bytes than its head says.");
  }

  #onHeader(line: string): void {
    const { signer, decodedLength } = this.#options;
    const [, digits = "", signature] = /^([0-9a-fA-F]{1,16})(?:;chunk-signature=([^;]*))?$/.exec(line) ?? [];
    if (digits === "") throw new S3Error("InvalidRequest", "The head of a chunk is not valid.");
    if ((signature === undefined) !== (signer === null))
      throw new S3Error("InvalidRequest", "x-amz-content-sha256 and the chunks don't agree whether chunks are signed.");
    const size = Number.parseInt(digits, 16);
    if (size > decodedLength - this.#decoded) throw this.#wrongLength(this.#decoded + size);
    this.#signed = signature === undefined ? undefined : { hash: createHash("sha256"), signature };
    this.#left = size;
    this.#state = size > 0 ? "data" : "trailers";
    if (size > 0) return;
    this.#checkChunk();
    if (this.#decoded !== decodedLength) throw this.#wrongLength(this.#decoded);
  }

  #wrongLength(bytes: number): S3Error {
    const { decodedLength } = this.#options;
    const said = `x-amz-decoded-content-length says ${decodedLength}`;
    return new S3Error("IncompleteBody", `The chunks have ${bytes} bytes, and ${said}.`);
  }

  #checkChunk(): void {
    const { signer } = this.#options;
    if (signer === null || this.#signed === undefined) return;
    if (!signer.chunk(this.#signed.hash.digest("hex"), this.#signed.signature)) throw badSignature("chunk");
  }

  #onTrailer(line: string): void {
    if (line === "") {
      this.#checkTrailers();
      this.#state = "done";
      return;
    }
    this.#trailersBytes += line.length;
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(0, colon)).trim().toLowerCase();
    const isTooMuch = this.#trailersBytes > TRAILERS_BYTES_MAX || this.#trailers.has(name);
    if (this.#options.trailers === null || !/^[a-z0-9-]+$/.test(name) || isTooMuch)
      throw new S3Error("MalformedTrailerError");
    this.#trailers.set(name, line.slice(colon + 1).trim());
  }

  #checkTrailers(): void {
    const { trailers, signer } = this.#options;
    if (trailers === null) return;
    const signature = this.#trailers.get(SIGNATURE_TRAILER);
    this.#trailers.delete(SIGNATURE_TRAILER);
    const isWhole = trailers.length === this.#trailers.size && trailers.every((name) => this.#trailers.has(name));
    if (!isWhole || (signature === undefined) !== (signer === null)) throw new S3Error("MalformedTrailerError");
    if (signer === null || signature === undefined) return;
    const text = [...this.#trailers].map(([name, value]) => `${name}:${value}\n`).join("");
    const sha256 = createHash("sha256").update(text, "latin1").digest("hex");
    if (!signer.trailer(sha256, signature)) throw badSignature("trailer");
  }
}

function badSignature(what: string): S3Error {
  return new S3Error("SignatureDoesNotMatch", `The signature of a ${what} is not the one that the server computed.`);
}
