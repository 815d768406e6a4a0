import { fork } from "node:child_process";
import { columnOf, type ByHandFiles } from "./duckdb.ts";
import { asWritten, type Question } from "./queries.ts";

export interface Answered {
  readonly rows: unknown[];
  readonly ms: number;
}

/** DuckDB as a program would use it directly. */
export interface ByHand {
  /** Runs the simplest statement in an open instance that has read the files before. */
  warm(question: Question): Promise<Answered>;
  /** Runs a statement in the same instance. It uses the columns of promoted attributes that every file has. */
  expert(question: Question): Promise<Answered>;
  /** Runs the simplest statement in a new instance, as each of our queries does. */
  fresh(question: Question): Promise<Answered>;
  readonly promotedKeys: readonly string[];
  close(): void;
}

/** A request to the process. The process answers it before it gets the next one. */
export type ByHandCall =
  | { readonly way: "open"; readonly files: ByHandFiles }
  | { readonly way: "warm" | "expert" | "fresh"; readonly sql: string };

export async function openByHand(files: ByHandFiles): Promise<ByHand> {
  const child = fork(new URL("by-hand-process.ts", import.meta.url));
  const call = <T>(request: ByHandCall): Promise<T> =>
    new Promise((resolve, reject) => {
      const ended = (code: number | null): void => {
        reject(new Error(`DuckDB by hand ended with ${code}`));
      };
      child.once("exit", ended);
      child.once("message", (reply: T | { readonly error: string }) => {
        child.off("exit", ended);
        if (typeof reply === "object" && reply !== null && "error" in reply) reject(new Error(reply.error));
        else resolve(reply);
      });
      child.send(request);
    });
  const { promotedKeys } = await call<{ readonly promotedKeys: readonly string[] }>({ way: "open", files });
  const promoted = (key: string): string => (promotedKeys.includes(key) ? `"${columnOf(key)}"` : asWritten(key));
  return {
    warm: (question) => call({ way: "warm", sql: question.sql(asWritten) }),
    expert: (question) => call({ way: "expert", sql: question.sql(promoted) }),
    fresh: (question) => call({ way: "fresh", sql: question.sql(asWritten) }),
    promotedKeys,
    close: () => {
      child.kill();
    },
  };
}
