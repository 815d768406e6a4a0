import type { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { Problem } from "#kernel/problem.ts";
import { newCounts, type SyslogCounts } from "./counts.ts";
import { FrameReader, type Frame } from "./framing.ts";
import type { Intake } from "./intake.ts";

interface Connection {
  readonly socket: Socket;
  readonly peer: string;
  readonly reader: FrameReader;
  /** The keys of its messages. Each is watched until the connection closes. */
  readonly watched: Map<string, () => void>;
  /** When bytes arrived, or were stored, for the last time. */
  activeMs: number;
}

/** A connection without a valid key is closed when it is silent for this long. */
const UNKNOWN_TIMEOUT_MS = 60_000;
/** A connection may have messages with this many keys. */
const KEYS_MAX = 16;
/** A stop reads what the kernel has received: it closes a connection that was silent for this long. */
const STOP_SILENCE_MS = 100;
const STOP_SWEEP_MS = 20;

/**
 * Serves connections of senders. Syslog has no acknowledgement, so a connection is read only as fast as its messages
 * are stored: the sender waits, and keeps later ones in its queue.
 */
export class Connections {
  readonly counts: SyslogCounts = newCounts();
  readonly #intake: Intake;
  readonly #log: { error(fields: object, message: string): void };
  readonly #open = new Set<Connection>();
  readonly #stopped = new AbortController();

  constructor(intake: Intake, log: { error(fields: object, message: string): void }) {
    this.#intake = intake;
    this.#log = log;
  }

  accept(socket: Socket): void {
    const peer = (socket.remoteAddress ?? "").replace(/^::ffff:(?=\d+\.)/, "");
    const reader = new FrameReader();
    const connection = { socket, peer, reader, watched: new Map<string, () => void>(), activeMs: performance.now() };
    this.#open.add(connection);
    socket.once("close", () => {
      this.#open.delete(connection);
      for (const stop of connection.watched.values()) stop();
    });
    socket.setTimeout(UNKNOWN_TIMEOUT_MS, () => void socket.destroy());
    this.#serve(connection).catch((error: unknown) => {
      socket.destroy();
      if (!isEnd(error)) this.#log.error({ err: error }, "a connection of syslog failed");
    });
  }

  /** Reads and stores what senders have sent, then closes the connections. */
  async stop(timeoutMs: number): Promise<void> {
    for (let waitedMs = 0; waitedMs < timeoutMs && this.#open.size > 0; waitedMs += STOP_SWEEP_MS) {
      for (const { socket, activeMs } of this.#open)
        if (performance.now() - activeMs > STOP_SILENCE_MS && !socket.isPaused()) socket.destroy();
      await delay(STOP_SWEEP_MS);
    }
    this.#stopped.abort();
    for (const { socket } of this.#open) socket.destroy();
  }

  async #serve(connection: Connection): Promise<void> {
    const { socket, peer, reader } = connection;
    const { key } = this.#intake;
    if (key !== null) {
      await this.#intake.check(peer, this.#stopped.signal);
      this.#watch(connection, key);
    }
    if (socket.destroyed) return;
    socket.on("data", (chunk: Buffer) => {
      socket.pause();
      connection.activeMs = performance.now();
      this.#take(connection, reader.push(chunk)).then(
        () => {
          connection.activeMs = performance.now();
          socket.resume();
        },
        (error: unknown) => socket.destroy(error as Error),
      );
    });
    await new Promise<void>((resolve, reject) => {
      socket.once("end", () => void this.#take(connection, reader.end()).then(resolve, reject));
      socket.once("error", reject);
      socket.once("close", () => resolve());
    });
    socket.end();
  }

  /** @throws Problem `unauthorized` when a message has no valid key */
  async #take(connection: Connection, frames: readonly Frame[]): Promise<void> {
    if (frames.length === 0) return;
    const received = frames.map((frame) => ({ frame, peer: connection.peer }));
    const { keys, isRefused } = await this.#intake.store(received, this.counts, this.#stopped.signal);
    if (isRefused) throw new Problem("unauthorized", "A message has no valid key.");
    for (const key of keys) this.#watch(connection, key);
  }

  /** Closes the connection when the key is revoked. Such a connection may be silent for as long as the sender wants. */
  #watch({ socket, peer, watched }: Connection, key: string): void {
    if (watched.has(key) || socket.destroyed) return;
    if (watched.size >= KEYS_MAX) throw new Problem("unauthorized", "The connection has too many keys.");
    watched.set(
      key,
      this.#intake.watch(key, peer, () => void socket.destroy()),
    );
    socket.setTimeout(0);
  }
}

/** Whether the connection ended, by the sender or because of its key. */
function isEnd(error: unknown): boolean {
  return error instanceof Problem || (error as NodeJS.ErrnoException).code !== undefined;
}
