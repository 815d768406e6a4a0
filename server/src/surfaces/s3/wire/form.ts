import type { IncomingMessage } from "node:http";
import { S3Error } from "#domain/s3/index.ts";
import { decodeUtf8 } from "#kernel/decoding.ts";

const FIELDS_BYTES_MAX = 64 * 1024;
const FIELDS_MAX = 100;
const HEAD_END = Buffer.from("\r\n\r\n");

/** The fields before a form's file. */
export interface FormStart {
  /** By lower-case name. */
  readonly fields: ReadonlyMap<string, string>;
  readonly filename: string;
}

/**
 * Reads `multipart/form-data` (RFC 7578) as it arrives: fields, then the file. Fields after the file are ignored: they
 * could not be checked before the file was stored.
 */
export class FormReader {
  readonly #chunks: AsyncIterator<Buffer>;
  readonly #delimiter: Buffer;
  /** Starts with a line break, so that the first delimiter is found like the others. */
  #buffer: Buffer = Buffer.from("\r\n");
  #isEnded = false;

  /** @throws S3Error `MalformedPOSTRequest` when the type has no boundary */
  constructor(raw: IncomingMessage, contentType: string) {
    const [, quoted, plain] = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType) ?? [];
    const boundary = quoted ?? plain;
    if (boundary === undefined) throw new S3Error("MalformedPOSTRequest");
    this.#delimiter = Buffer.from(`\r\n--${boundary}`, "latin1");
    // The connection stays open when the reading ends early, because the answer is sent on it.
    this.#chunks = (raw.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  }

  /** Reads everything before the first byte of the file. @throws S3Error */
  async start(): Promise<FormStart> {
    const fields = new Map<string, string>();
    let bytes = 0;
    await this.#skipPast(this.#delimiter, FIELDS_BYTES_MAX);
    for (;;) {
      await this.#fill(2);
      if (this.#buffer.subarray(0, 2).toString("latin1") === "--")
        throw new S3Error("InvalidArgument", "POST requires exactly one file upload per request.");
      const head = textOf(await this.#takeUntil(HEAD_END, FIELDS_BYTES_MAX));
      const name = /^content-disposition:\s*form-data\b.*?;\s*name="((?:[^"\\]|\\.)*)"/im
        .exec(head)?.[1]
        ?.toLowerCase();
      if (name === undefined) throw new S3Error("MalformedPOSTRequest");
      if (name === "file") return { fields, filename: filenameIn(head) };
      const value = await this.#takeUntil(this.#delimiter, FIELDS_BYTES_MAX);
      bytes += name.length + value.length;
      if (bytes > FIELDS_BYTES_MAX || fields.size >= FIELDS_MAX) throw new S3Error("MaxPostPreDataLengthExceededError");
      if (fields.has(name))
        throw new S3Error("InvalidArgument", `The field ${name.slice(0, 100)} was sent more than once.`);
      fields.set(name, textOf(value));
    }
  }

  /** Yields the bytes of the file. @throws S3Error `IncompleteBody` */
  async *file(): AsyncGenerator<Buffer, void, undefined> {
    for (;;) {
      const at = this.#buffer.indexOf(this.#delimiter);
      if (at >= 0) {
        if (at > 0) yield this.#buffer.subarray(0, at);
        return;
      }
      const sure = this.#buffer.length - this.#delimiter.length;
      if (sure > 0) {
        yield this.#buffer.subarray(0, sure);
        this.#buffer = this.#buffer.subarray(sure);
      }
      await this.#more();
    }
  }

  /** Stops reading, so that the rest of the body can be drained. */
  release(): void {
    this.#chunks.return?.().catch(() => undefined);
  }

  async #takeUntil(mark: Buffer, bytesMax: number): Promise<Buffer> {
    let from = 0;
    for (;;) {
      const at = this.#buffer.indexOf(mark, from);
      if (at >= 0) {
        const taken = this.#buffer.subarray(0, at);
        this.#buffer = this.#buffer.subarray(at + mark.length);
        return taken;
      }
      if (this.#buffer.length > bytesMax) throw new S3Error("MaxPostPreDataLengthExceededError");
      from = Math.max(0, this.#buffer.length - mark.length);
      await this.#more();
    }
  }

  async #skipPast(mark: Buffer, bytesMax: number): Promise<void> {
    await this.#takeUntil(mark, bytesMax);
  }

  async #fill(bytes: number): Promise<void> {
    while (this.#buffer.length < bytes) await this.#more();
  }

  async #more(): Promise<void> {
    const next = this.#isEnded ? undefined : await this.#chunks.next();
    if (next === undefined || next.done === true) {
      this.#isEnded = true;
      throw new S3Error("MalformedPOSTRequest", "The form ended before its last delimiter.");
    }
    this.#buffer = this.#buffer.length === 0 ? next.value : Buffer.concat([this.#buffer, next.value]);
  }
}

function textOf(bytes: Buffer): string {
  const text = decodeUtf8(bytes);
  if (text === undefined) throw new S3Error("MalformedPOSTRequest", "The fields of the form must be UTF-8.");
  return text;
}

/** Some browsers send a path; this returns its last part. */
function filenameIn(head: string): string {
  const name = /;\s*filename="((?:[^"\\]|\\.)*)"/i.exec(head)?.[1] ?? "";
  return name.replace(/^.*[\\/]/, "");
}
