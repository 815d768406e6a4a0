import { setPriority } from "node:os";
import type { ByHandCall } from "./by-hand.ts";
import { openStatements, type Statements } from "./duckdb.ts";

// Runs DuckDB directly, with the priority of the product's query processes. With different priorities, only one of the
// two would wait on a busy machine.

const NICENESS = 5;

// Set before DuckDB starts threads: a thread inherits the priority of its creator.
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
