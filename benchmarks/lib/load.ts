import { fork } from "node:child_process";

/** The plan of the load process. Requests are whole HTTP/1.1 messages, sent in turn. */
export interface LoadPlan {
  readonly host: string;
  readonly port: number;
  readonly requests: readonly Buffer[];
  readonly connections: number;
  readonly durationMs: number;
  /** Ends earlier, after this number of requests. */
  readonly requestsMax?: number;
  /** The rate of all connections together. Without it, each connection sends as soon as it gets an answer. */
  readonly perSecond?: number;
}

export interface LoadResult {
  readonly answered: number;
  readonly elapsedMs: number;
  readonly statuses: Readonly<Record<string, number>>;
  /** Milliseconds from the last byte sent to the answer's head. */
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Runs the load in a separate process, which shares the cores with the server but not its event loop. */
export async function runLoad(plan: LoadPlan): Promise<LoadResult> {
  const child = fork(new URL("load-process.ts", import.meta.url), { serialization: "advanced" });
  const result = new Promise<LoadResult>((resolve, reject) => {
    child.once("message", (message) => resolve(message as LoadResult));
    child.once("exit", (code) => reject(new Error(`the load process ended with ${code}`)));
  });
  child.send(plan);
  return result.finally(() => child.kill());
}

/** One HTTP/1.1 request as bytes. */
export function requestBytes(options: {
  method: string;
  path: string;
  host: string;
  headers: Record<string, string>;
  body: Buffer;
}): Buffer {
  const fields = Object.entries(options.headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `${options.method} ${options.path} HTTP/1.1\r\nhost: ${options.host}\r\n${fields.join("")}content-length: ${options.body.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), options.body]);
}
