import type { IncomingMessage } from "node:http";

/** Yields the chunks of a body and ends where it breaks off, so that the received bytes can be kept. */
export class UntilBroken {
  readonly #body: IncomingMessage;
  readonly #taken: ((chunk: Uint8Array) => void) | undefined;
  /** The error that broke it off. */
  failure: { readonly error: unknown } | undefined;

  /** `taken` is called for each chunk. */
  constructor(body: IncomingMessage, taken: ((chunk: Uint8Array) => void) | undefined) {
    this.#body = body;
    this.#taken = taken;
  }

  async *chunks(): AsyncGenerator<Uint8Array, void, undefined> {
    const chunks = this.#body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
    try {
      for await (const chunk of chunks) {
        this.#taken?.(chunk);
        yield chunk;
      }
    } catch (error) {
      this.failure = { error };
    }
  }
}
