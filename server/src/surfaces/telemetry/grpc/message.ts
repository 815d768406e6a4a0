import type { IncomingMessage } from "node:http";
import { Problem } from "#kernel/problem.ts";
import { codingOf, type Coding } from "../wire/coding.ts";

/** The message of a unary call, without its prefix. */
export interface Message {
  readonly bytes: Buffer;
  /** How the message is compressed. */
  readonly coding: Coding | undefined;
}

export interface MessageLimits {
  readonly bytesMax: number;
  /** The value of `grpc-encoding`. */
  readonly encoding: string | undefined;
  /** Called with the length of the message before memory for it is allocated. @throws Problem */
  readonly hold: (bytes: number) => void;
  /** Aborted when the caller no longer waits for the answer. Its reason is thrown. */
  readonly signal: AbortSignal;
}

/** A flag and four bytes of length (gRPC over HTTP2, "Length-Prefixed-Message"). */
const PREFIX_BYTES = 5;

/**
 * Reads the only message of a unary call. A message over the limit is refused after its prefix.
 * @throws Problem `body_too_large`, `invalid_request` when the frame is not valid, `unsupported_media_type`,
 * and the reason of `signal`
 */
export function readMessage(payload: IncomingMessage, limits: MessageLimits): Promise<Message> {
  const reader = new MessageReader(limits);
  return new Promise((resolve, reject) => {
    const { signal } = limits;
    const refuse = (reason: Error): void => {
      payload.off("data", take);
      signal.removeEventListener("abort", abort);
      reject(reason);
    };
    const abort = (): void => refuse(signal.reason as Error);
    const attempt = (act: () => void): void => {
      try {
        act();
      } catch (error) {
        refuse(error as Error);
      }
    };
    const take = (chunk: Buffer): void => attempt(() => reader.add(chunk));
    if (signal.aborted) return abort();
    signal.addEventListener("abort", abort, { once: true });
    payload.on("data", take);
    payload.once("end", () =>
      attempt(() => {
        resolve(reader.message());
        signal.removeEventListener("abort", abort);
      }),
    );
    payload.once("error", (cause) => refuse(cutOff(cause)));
    payload.once("close", () => refuse(cutOff()));
  });
}

class MessageReader {
  readonly #limits: MessageLimits;
  readonly #prefix = Buffer.alloc(PREFIX_BYTES);
  #prefixBytes = 0;
  #message: Buffer | undefined;
  #filled = 0;

  constructor(limits: MessageLimits) {
    this.#limits = limits;
  }

  add(chunk: Buffer): void {
    const wanted = PREFIX_BYTES - this.#prefixBytes;
    if (wanted > 0) this.#prefixBytes += chunk.copy(this.#prefix, this.#prefixBytes, 0, wanted);
    if (this.#prefixBytes < PREFIX_BYTES) return;
    this.#message ??= this.#allocate();
    const rest = chunk.subarray(Math.max(0, wanted));
    if (this.#filled + rest.length > this.#message.length)
      throw new Problem("invalid_request", "The call has more than one message.");
    this.#filled += rest.copy(this.#message, this.#filled);
  }

  message(): Message {
    if (this.#message === undefined || this.#filled < this.#message.length)
      throw new Problem("invalid_request", "The call ended before its message was complete.");
    return { bytes: this.#message, coding: this.#codingOf(this.#prefix[0] ?? 0) };
  }

  #allocate(): Buffer {
    const { bytesMax, hold } = this.#limits;
    this.#codingOf(this.#prefix[0] ?? 0);
    const bytes = this.#prefix.readUInt32BE(1);
    if (bytes > bytesMax) throw new Problem("body_too_large", `The message has more than ${bytesMax} bytes.`);
    hold(bytes);
    return Buffer.allocUnsafeSlow(bytes);
  }

  /** gRPC over HTTP2, "Compressed-Flag"; compression.md, "Compression Method Asymmetry". */
  #codingOf(flag: number): Coding | undefined {
    if (flag > 1) throw new Problem("invalid_request", "The flag of a message must be 0 or 1.");
    if (flag === 0) return undefined;
    const coding = codingOf(this.#limits.encoding);
    if (coding === undefined)
      throw new Problem("invalid_request", "The message is compressed, but grpc-encoding names no compression.");
    return coding;
  }
}

/** Puts the prefix before an uncompressed message. */
export function framed(message: Buffer): Buffer {
  const prefix = Buffer.alloc(PREFIX_BYTES);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}

function cutOff(cause?: unknown): Problem {
  return new Problem("invalid_request", "The call ended before its message was complete.", { cause });
}
