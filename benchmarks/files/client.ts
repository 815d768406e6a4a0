import { fork } from "node:child_process";

/** The plan of the client process: it requests each path once, spread over the connections. */
export interface ClientPlan {
  readonly host: string;
  readonly port: number;
  readonly method: "GET" | "PUT";
  readonly paths: readonly string[];
  /** Bytes of each body that is sent or expected. */
  readonly bytes: number;
  readonly connections: number;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Runs the plan in a separate process, which shares the cores with the server but not its event loop. Resolves with
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
