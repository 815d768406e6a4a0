import { fork } from "node:child_process";

/** What the client process does: each path once, spread over the connections. */
export interface ClientPlan {
  readonly host: string;
  readonly port: number;
  readonly method: "GET" | "PUT";
  readonly paths: readonly string[];
  /** Bytes of each body, sent or expected. */
  readonly bytes: number;
  readonly connections: number;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Runs it in a separate process, which shares the cores with the server but not its event loop. Resolves with
 * seconds.
 */
export async function runClient(plan: ClientPlan): Promise<number> {
  const child = fork(new URL("client-process.ts", import.meta.url));
  try {
    return await new Promise<number>((resolve, reject) => {
      child.once("message", (seconds) => resolve(seconds as number));
      child.once("exit", (code) => reject(new Error(`the client ended with ${code}`)));
      child.send(plan);
    });
  } finally {
    child.kill();
  }
}
