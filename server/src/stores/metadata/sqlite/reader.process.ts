/**
 * Runs reads that may take long, in a child process. JavaScript cannot interrupt SQLite, and a thread only ends when
 * its statement does, but a process can be killed. The argument is the path of the database. Messages are `ReadRequest`
 * and `ReadReply`, one at a time.
 */
import { DatabaseSync } from "node:sqlite";
import type { ReadReply, ReadRequest } from "./messages.ts";
import { Statements } from "./statements.ts";

const [, , path = ""] = process.argv;
let statements: Statements | undefined;

process.on("message", ({ sql, parameters }: ReadRequest) => {
  const reply = answer(sql, parameters);
  process.send?.(reply);
});
// The server has ended, or has closed the database.
process.on("disconnect", () => process.exit(0));

function answer(sql: string, parameters: readonly unknown[]): ReadReply {
  try {
    statements ??= new Statements(new DatabaseSync(path, { readOnly: true, timeout: 0 }));
    return { rows: statements.run(sql, parameters).rows };
  } catch (error) {
    const { errcode } = error as { errcode?: unknown };
    return {
      error: {
        message: error instanceof Error ? error.message : String(error),
        errcode: typeof errcode === "number" ? errcode : 0,
      },
    };
  }
}
