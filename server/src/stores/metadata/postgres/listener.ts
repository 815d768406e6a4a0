import { Client, type ClientConfig } from "pg";
import { backoffMs } from "#kernel/backoff.ts";
import type { Listeners } from "../listeners.ts";

/** The only channel in the database. The payload names our channel. */
export const DATABASE_CHANNEL = "mooring";

const RECONNECT = { firstMs: 100, maxMs: 5_000 };

/**
 * A separate connection that listens for notifications. When it breaks, it reconnects after growing waits of up to 5 s,
 * and then calls every listener, because a notification may have been missed.
 */
export class DatabaseListener {
  readonly #settings: ClientConfig;
  readonly #listeners: Listeners;
  #client: Client | undefined;
  #retry: NodeJS.Timeout | undefined;
  #failures = 0;
  #closed = false;

  constructor(settings: ClientConfig, listeners: Listeners) {
    this.#settings = settings;
    this.#listeners = listeners;
  }

  /** Resolves when the connection listens. */
  async start(): Promise<void> {
    const client = new Client(this.#settings);
    client.on("error", () => {}); // an `end` event follows
    client.on("notification", ({ payload }) => this.#listeners.call(payload ?? ""));
    try {
      await client.connect();
      await client.query(`listen ${DATABASE_CHANNEL}`);
    } catch (error) {
      await client.end().catch(() => {}); // the connection may have failed
      throw error;
    }
    client.on("end", () => this.#reconnectLater());
    this.#client = client;
    this.#failures = 0;
    if (this.#closed) await client.end();
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#retry);
    await this.#client?.end();
  }

  #reconnectLater(): void {
    this.#client = undefined;
    if (this.#closed) return;
    this.#failures += 1;
    this.#retry = setTimeout(() => void this.#reconnect(), backoffMs(this.#failures, RECONNECT));
    this.#retry.unref();
  }

  async #reconnect(): Promise<void> {
    try {
      await this.start();
      this.#listeners.callAll();
    } catch {
      this.#reconnectLater(); // the store's ping reports the failure to the operator; here we only retry
    }
  }
}
