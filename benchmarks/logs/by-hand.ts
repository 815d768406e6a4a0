import { fork } from "node:child_process";
import { columnOf, type ByHandFiles } from "./duckdb.ts";
import { asWritten, type Question } from "./queries.ts";

export interface Answered {
  readonly rows: unknown[];
  readonly ms: number;
}

/** DuckDB as a program would use it by hand. */
export interface ByHand {
  /** The plainest statement, in an instance that is open already and has read the files before. */
  warm(question: Question): Promise<Answered>;
  /** The same instance, with the columns of promoted attributes where every file has one. */
  expert(question: Question): Promise<Answered>;
  /** The plainest statement in a new instance, as every query of ours has one. */
  fresh(question: Question): Promise<Answered>;
  readonly promotedKeys: readonly string[];
  close(): void;
}

/** What the process is asked; it answers each before it gets the next. */
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
