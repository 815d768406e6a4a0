import type { ServerResponse } from "node:http";

/** The answer that a tail writes to. */
export interface Output {
  readonly closed: boolean;
  /** Whether so much waits for the reader that no more should be written. */
  readonly full: boolean;
  write(text: string | Buffer): void;
  /** Resolves when the buffer has space, at once if it has; also when the connection is closed. */
  room(): Promise<void>;
  /** Writes the last words. A reader that does not take them is cut off. */
  end(text: string): void;
  onClose(run: () => void): void;
}

/** The most bytes that wait for a reader; one more batch at most, which is written whole. */
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
  // A reader that disconnected is no error of ours.
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
