import { fork } from "node:child_process";
import type { Batches } from "./dataset.ts";

/**
 * The plan of the sending process: it sends every batch once over these connections, and a refused batch until it is
 * accepted.
 */
export interface SendPlan {
  readonly host: string;
  readonly port: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly batches: Batches;
  /** `entries`: a JSON object with one key; `lines`: as the file has them. */
  readonly form: "entries" | "lines";
  readonly connections: number;
  readonly timeoutMs: number;
}

export interface Sent {
  readonly elapsedMs: number;
  /** The number of 429 and 503 answers. Each of those batches was sent again. */
  readonly refused: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Sends in a separate process. @throws Error when an answer is neither 2xx, 429 nor 503, or the time is up */
export async function send(plan: SendPlan, onTaken: (batches: number) => void): Promise<Sent> {
  const child = fork(new URL("send-process.ts", import.meta.url), { serialization: "advanced" });
  const result = new Promise<Sent>((resolve, reject) => {
    child.on("message", (message: Sent | number) => {
      if (typeof message === "number") onTaken(message);
      else resolve(message);
    });
    child.once("exit", (code) => reject(new Error(`the sending process ended with ${code}`)));
  });
  child.send(plan);
  return result.finally(() => child.kill());
}
