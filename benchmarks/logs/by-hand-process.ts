import { setPriority } from "node:os";
import type { ByHandCall } from "./by-hand.ts";
import { openStatements, type Statements } from "./duckdb.ts";

// DuckDB by hand, in a process with the priority of the product's query processes: on a busy machine only one of the
// two would wait otherwise.

const NICENESS = 5;

// Before any thread of the engine is there: a thread has the priority of the one that made it.
setPriority(NICENESS);
let statements: Statements | undefined;

process.on("message", (call: ByHandCall) => {
  void answer(call).then((reply) => process.send?.(reply));
});

async function answer(call: ByHandCall): Promise<unknown> {
  try {
    if (call.way === "open") {
      statements = await openStatements(call.files);
      return { promotedKeys: statements.promotedKeys };
    }
    if (statements === undefined) throw new Error("cannot run a statement: no files are open");
    const startedMs = performance.now();
    const rows = await statements[call.way](call.sql);
    return { rows, ms: performance.now() - startedMs };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}
