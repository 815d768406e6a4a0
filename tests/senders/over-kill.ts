/**
 * Senders before, during and after a kill of the server. The rows that the server confirmed are there afterwards, a sender
 * with a queue loses nothing, and every sender continues.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import { eventually } from "../fixtures/process.ts";
import type { SenderPlace } from "./place.ts";

export interface Sender {
  /** Its messages begin with the name and a dot. */
  readonly name: string;
  /** Gives the sender a message. Resolves when the sender has it, or when the server has confirmed it. */
  send(message: string): Promise<unknown>;
  /** Ends its program. */
  end?(): Promise<void>;
  /**
   * `confirmed`: it keeps a message until the server has confirmed it. `written`: until it has written it to a connection.
   * `nothing`: it loses a message while the server is away.
   */
  readonly keeps: "confirmed" | "written" | "nothing";
  /** The values of its rows, by expressions of SQL. */
  readonly values: Readonly<Record<string, unknown>>;
  /** The rows of a message; one by default. */
  readonly rows?: number;
  /** The table, and its column with the message; `logs` and `message` by default. */
  readonly from?: readonly [table: string, column: string];
}

/** Some senders wait for a minute after an error. */
const FIND_DEADLINE_MS = 120_000;
const PAUSE_MS = 250;
/** The time of a row is that of its message, also if the sender kept it for a while. */
const AWAY_MS_MAX = 30_000;
/** Messages for a sender that keeps them until they are written. */
const WRITTEN = 50;

/** Sends by each of the senders over one kill, finds their rows, and ends them. @throws Error if rows are missing, doubled or wrong */
export async function sendOverKill(place: SenderPlace, senders: readonly Sender[]): Promise<void> {
  const all = senders.map((sender) => new Messages(place, sender));
  try {
    await Promise.all(all.map((each) => each.sendAndFind("before")));
    const sending: Promise<void>[] = [];
    await place.restart(async () => {
      for (const each of all) sending.push(each.sendKept());
      for (const each of sending) void each.catch(() => {}); // It is awaited below.
      // The others wait for an answer, which comes later.
      const written = sending.filter((_, i) => senders[i]?.keeps === "written");
      const waiting = senders.filter(({ keeps }) => keeps === "confirmed").length;
      await Promise.all([...written, waiting === 0 ? null : breakConnections(place.ports, waiting)]);
    });
    await Promise.all(sending);
    await Promise.all(all.map((each) => each.sendUntilFound()));
    await Promise.all(all.map((each) => each.findAll()));
  } finally {
    await Promise.all(senders.map(async (sender) => sender.end?.()));
  }
}

/** Breaks all connections until there were this many, so that each sender sees that the server is away. */
async function breakConnections(ports: readonly number[], count: number): Promise<void> {
  let broken = 0;
  const listeners = ports.map((port) =>
    createServer((socket) => {
      socket.on("error", () => {}); // The sender may break it first.
      socket.resetAndDestroy();
      broken += 1;
    }).listen(port, "127.0.0.1"),
  );
  await Promise.all(listeners.map((each) => once(each, "listening")));
  try {
    await eventually(`${count} attempts to connect`, () => (broken >= count ? true : null));
  } finally {
    await Promise.all(listeners.map((each) => new Promise((resolve) => each.close(resolve))));
  }
}

/** The messages of a sender, and their rows. */
class Messages {
  readonly #place: SenderPlace;
  readonly #sender: Sender;
  /** When each message that must not be lost was sent. */
  readonly #sentMs = new Map<string, number>();

  constructor(place: SenderPlace, sender: Sender) {
    this.#place = place;
    this.#sender = sender;
  }

  async sendAndFind(text: string): Promise<void> {
    await this.#send(text);
    await this.findAll();
  }

  /** Sends while the server is away, if the sender keeps the messages. */
  async sendKept(): Promise<void> {
    const { keeps } = this.#sender;
    if (keeps === "confirmed") await this.#send("away");
    if (keeps !== "written") return;
    for (let i = 0; i < WRITTEN; i++) await this.#send(`away ${i}`);
    // The connection that the server has closed takes one message. TCP reports that with the next one.
    this.#sentMs.delete(this.#named("away 0"));
  }

  /** Sends until a message is found: the sender may first find out that its connection is broken. */
  async sendUntilFound(): Promise<void> {
    const sent: string[] = [];
    await eventually(
      `a message of ${this.#sender.name} after the kill`,
      async () => {
        // A sender that keeps them needs no second one.
        if (sent.length === 0 || this.#sender.keeps !== "confirmed")
          sent.push(await this.#send(`after ${sent.length}`));
        const found = await this.#rows();
        const arrived = sent.findIndex((message) => found.has(message));
        if (arrived === -1) return null;
        for (const lost of sent.slice(0, arrived)) this.#sentMs.delete(lost);
        return true;
      },
      FIND_DEADLINE_MS,
      PAUSE_MS,
    );
  }

  /** Waits until every message is found, and checks the rows. */
  async findAll(): Promise<void> {
    let missing: readonly string[] = [];
    const found = await eventually(
      "every message",
      async () => {
        const rows = await this.#rows();
        missing = [...this.#sentMs.keys()].filter((message) => !rows.has(message));
        return missing.length === 0 ? rows : null;
      },
      FIND_DEADLINE_MS,
      PAUSE_MS,
    ).catch((error: unknown) => {
      throw new Error(`${this.#sender.name} has lost: ${missing.join(", ")}`, { cause: error });
    });
    for (const [message, sentMs] of this.#sentMs) this.#check(message, sentMs, found.get(message) ?? []);
  }

  #check(message: string, sentMs: number, rows: readonly Record<string, unknown>[]): void {
    assert.equal(rows.length, 1, `${message}: ${JSON.stringify(rows)}`);
    const { n, first, last, ...values } = rows[0] ?? {};
    assert.equal(Number(n), this.#sender.rows ?? 1, message);
    assert.deepEqual(Object.values(values), Object.values(this.#sender.values), message);
    for (const time of [first, last])
      assert.ok(Math.abs(Date.parse(String(time)) - sentMs) < AWAY_MS_MAX, `${message}: ${String(time)}`);
  }

  #named(text: string): string {
    return `${this.#sender.name}. ${text}`;
  }

  async #send(text: string): Promise<string> {
    const message = this.#named(text);
    this.#sentMs.set(message, Date.now());
    await this.#sender.send(message);
    return message;
  }

  /** Returns the rows of each message: one for each combination of values. */
  async #rows(): Promise<Map<string, Record<string, unknown>[]>> {
    const { name, values, from: [table, column] = ["logs", "message"] } = this.#sender;
    const expressions = Object.keys(values).map((expression, i) => `, ${expression} as value_${i}`);
    const found = await this.#place.sql(
      `select trim(${column}) as message, count(*) as n, min(timestamp) as first, max(timestamp) as last${expressions.join("")}
       from ${table} where starts_with(trim(${column}), '${name}. ') group by all`,
    );
    const rows = new Map<string, Record<string, unknown>[]>();
    for (const { message, ...row } of found) rows.set(String(message), [...(rows.get(String(message)) ?? []), row]);
    return rows;
  }
}
