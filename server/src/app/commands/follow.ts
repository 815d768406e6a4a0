import { setTimeout as delay } from "node:timers/promises";
import { ApiError, sentEvents, UnreachableError, type Client, type SentEvent } from "@mooring/client";
import { backoffMs } from "#kernel/backoff.ts";
import { ExitCode } from "./command.ts";
import { onInterrupt } from "./interrupt.ts";
import { printable } from "./printable.ts";

export interface Followed {
  /** Completes `cannot <purpose>: …`. */
  readonly purpose: string;
  readonly url: string;
  /** Called at the first connection. */
  readonly connected?: () => void;
  /** Handles one event. After a reconnection the stream continues after the last handled event. */
  readonly take: (event: SentEvent, signal: AbortSignal) => Promise<void>;
}

const RETRY = { firstMs: 500, maxMs: 10_000 };

/**
 * Follows a stream of server-sent events until Ctrl-C. After a broken connection it continues at the same event.
 * Resolves with the exit code.
 */
export async function follow(client: Client, followed: Followed): Promise<number> {
  const interrupt = onInterrupt();
  try {
    await connectAgain(client, followed, interrupt.signal);
    return ExitCode.ok;
  } catch (error) {
    if (interrupt.signal.aborted) return ExitCode.interrupted;
    if ((error as NodeJS.ErrnoException).code === "EPIPE") return ExitCode.ok; // The reader closed the pipe, as `head` does.
    throw error;
  } finally {
    interrupt.release();
  }
}

/** Connects, and reconnects after failures. Throws after a permanent refusal, or if the first connection fails. */
async function connectAgain(client: Client, followed: Followed, signal: AbortSignal): Promise<never> {
  const { purpose, url, connected, take } = followed;
  let lastId: string | undefined;
  let failures = 0;
  let isConnected = false;
  for (;;) {
    try {
      const headers = { accept: "text/event-stream", ...(lastId === undefined ? {} : { "last-event-id": lastId }) };
      const response = await client.send({ purpose, url, headers, signal });
      if (!isConnected) connected?.();
      isConnected = true;
      for await (const event of sentEvents(response.body)) {
        failures = 0;
        await take(event, signal);
        lastId = event.id ?? lastId;
      }
    } catch (error) {
      if (signal.aborted || !isConnected || !isTemporary(error)) throw error;
      process.stderr.write(`mooring: ${printable((error as Error).message)}; trying again\n`);
    }
    failures += 1;
    await delay(backoffMs(failures, RETRY), undefined, { signal });
  }
}

/** fetch throws a TypeError when a stream breaks. */
function isTemporary(error: unknown): boolean {
  if (error instanceof ApiError) return error.status === 429 || error.status >= 500;
  return error instanceof UnreachableError || error instanceof TypeError;
}
