import { connect, type Socket } from "node:net";
import type { ClientPlan } from "./client.ts";

// The client costs little, so the figures show the server: it sends one block again and again, and counts the answers'
// bytes without keeping them.

const BLOCK = Buffer.alloc(1024 * 1024);

process.once("message", (message) => {
  run(message as ClientPlan).then(
    (seconds) => process.send?.(seconds),
    (error: unknown) => {
      process.stderr.write(`${String(error)}\n`);
      process.exitCode = 1;
      process.disconnect();
    },
  );
});

async function run(plan: ClientPlan): Promise<number> {
  const waiting = [...plan.paths];
  const started = performance.now();
  await Promise.all(Array.from({ length: plan.connections }, () => drive(plan, () => waiting.pop())));
  return (performance.now() - started) / 1000;
}

async function drive(plan: ClientPlan, take: () => string | undefined): Promise<void> {
  const socket = connect({ host: plan.host, port: plan.port, noDelay: true });
  const answers = new Answers(socket);
  try {
    for (let path = take(); path !== undefined; path = take()) await exchange(plan, path, socket, answers);
  } finally {
    socket.destroy();
  }
}

async function exchange(plan: ClientPlan, path: string, socket: Socket, answers: Answers): Promise<void> {
  const { method, bytes } = plan;
  const length = method === "PUT" ? { "content-length": String(bytes) } : {};
  const fields = Object.entries({ host: plan.host, ...plan.headers, ...length }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  const head = Buffer.from(`${method} ${path} HTTP/1.1\r\n${fields.join("")}\r\n`);
  const answered = answers.next();
  if (method === "GET") socket.write(head);
  else if (bytes < BLOCK.length) socket.write(Buffer.concat([head, BLOCK.subarray(0, bytes)]));
  else await sendLarge(socket, head, bytes);
  const { status, length: received } = await answered;
  if (status[0] !== "2") throw new Error(`${method} ${path} was answered with ${status}`);
  if (method === "GET" && received !== bytes) throw new Error(`${path} had ${received} bytes instead of ${bytes}`);
}

async function sendLarge(socket: Socket, head: Buffer, bytes: number): Promise<void> {
  socket.write(head);
  for (let left = bytes; left > 0; left -= BLOCK.length) {
    const block = left < BLOCK.length ? BLOCK.subarray(0, left) : BLOCK;
    if (!socket.write(block)) await new Promise((resolve) => socket.once("drain", resolve));
  }
}

/** Reads the answers of one connection, one after another. */
class Answers {
  #head = Buffer.alloc(0);
  #left = 0;
  #answer: { status: string; length: number } | undefined;
  #waiting: PromiseWithResolvers<{ status: string; length: number }> | undefined;

  constructor(socket: Socket) {
    socket.on("data", (chunk: Buffer) => this.#take(chunk));
    const fail = (error?: Error): void => this.#waiting?.reject(error ?? new Error("the server closed the connection"));
    socket.on("error", fail).on("close", () => fail());
  }

  next(): Promise<{ status: string; length: number }> {
    this.#waiting = Promise.withResolvers();
    return this.#waiting.promise;
  }

  #take(chunk: Buffer): void {
    if (this.#answer === undefined) {
      this.#head = Buffer.concat([this.#head, chunk]);
      const end = this.#head.indexOf("\r\n\r\n");
      if (end === -1) return;
      const text = this.#head.toString("latin1", 0, end);
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
      this.#answer = { status: text.slice(9, 12), length };
      this.#left = length - (this.#head.length - end - 4);
      this.#head = Buffer.alloc(0);
    } else this.#left -= chunk.length;
    if (this.#left > 0) return;
    const answer = this.#answer;
    this.#answer = undefined;
    this.#waiting?.resolve(answer);
  }
}
