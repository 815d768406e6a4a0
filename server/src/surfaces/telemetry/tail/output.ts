import type { ServerResponse } from "node:http";

/** The response that a tail writes to. */
export interface Output {
  readonly closed: boolean;
  /** Whether the bytes that wait for the reader have reached their limit. */
  readonly full: boolean;
  write(text: string | Buffer): void;
  /** Resolves when the buffer has space, or when the connection is closed. */
  room(): Promise<void>;
  /** Writes the last event and ends the response. A reader that does not receive it in time is disconnected. */
  end(text: string): void;
  onClose(run: () => void): void;
}

/** The most bytes that wait for a reader. One more batch may exceed it, since batches are written whole. */
const WAITING_BYTES_MAX = 512 * 1024;
const LAST_WORDS_MS = 1000;

export function createOutput(response: ServerResponse): Output {
  let closed = false;
  let wake: (() => void) | undefined;
  const woken = (): void => {
    wake?.();
    wake = undefined;
  };
  const isFull = (): boolean => !closed && response.writableLength > WAITING_BYTES_MAX;
  response.once("close", () => {
    closed = true;
    woken();
  });
  response.on("drain", woken);
  // A reader that disconnects is not an error of the server.
  response.on("error", () => response.destroy());
  return {
    get closed() {
      return closed;
    },
    get full() {
      return isFull();
    },
    write: (text) => {
      if (!closed && !response.writableEnded) response.write(text);
    },
    room: async () => {
      while (isFull()) await new Promise<void>((resolve) => (wake = resolve));
    },
    end: (text) => {
      if (closed || response.writableEnded) return;
      response.end(text);
      const deadline = setTimeout(() => response.destroy(), LAST_WORDS_MS).unref();
      response.once("close", () => clearTimeout(deadline));
    },
    onClose: (run) => void response.once("close", run),
  };
}
