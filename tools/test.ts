// npm test [-- PART_OF_A_PATH ...], npm run full: runs test files, each in a process of its own.
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { discover, type Tier } from "./test-runner/discover.ts";
import { lineOf, summaryOf } from "./test-runner/report.ts";
import { runFile } from "./test-runner/run-file.ts";
import type { FileResult } from "./test-runner/tally.ts";

const TIMEOUT_MS: Record<Tier, number> = { test: 120_000, full: 900_000 };

/** Resolves to the exit code: 1 when anything failed, or nothing was found to run. */
async function main(argv: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      full: { type: "boolean", default: false },
      root: { type: "string", default: process.cwd() },
      concurrency: { type: "string", default: String(Math.min(2, availableParallelism())) },
      "timeout-ms": { type: "string" },
    },
  });
  const tier: Tier = values.full ? "full" : "test";
  const timeoutMs = Number(values["timeout-ms"] ?? TIMEOUT_MS[tier]);
  const waiting = discover(values.root, tier, positionals);
  if (waiting.length === 0 && tier === "test") {
    console.error(`cannot run tests: no test file ${positionals.length > 0 ? "matches" : "was found"}`);
    console.log("0 passed, 1 failed, 0 skipped");
    return 1;
  }
  const results: FileResult[] = [];
  const work = async (): Promise<void> => {
    for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
      const result = await runFile({ root: values.root, path, timeoutMs });
      results.push(result);
      console.log(lineOf(result));
    }
  };
  await Promise.all(Array.from({ length: Number(values.concurrency) }, work));
  console.log(summaryOf(results));
  return results.some((result) => result.failures.length > 0) ? 1 : 0;
}

process.exitCode = await main(process.argv.slice(2));
