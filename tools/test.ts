// npm test [-- PART_OF_A_PATH ...], npm run full: runs test files, each in a process of its own but for those of operations.
import { spawnSync } from "node:child_process";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { discover, inProcesses, type Tier } from "./test-runner/discover.ts";
import { lineOf, summaryOf } from "./test-runner/report.ts";
import { nameOf, runFile } from "./test-runner/run-file.ts";
import type { FileResult } from "./test-runner/tally.ts";

const REPOSITORY = join(import.meta.dirname, "..");
const TIMEOUT_MS: Record<Tier, number> = { test: 120_000, full: 900_000 };
/** Many of the short tests wait for something now and then; the long ones use what there is. */
const CONCURRENCY: Record<Tier, number> = { test: 3, full: 2 };

/** On a machine that nobody watches. */
const AGAIN_MAX = 3;

interface Options {
  readonly root: string;
  readonly tier: Tier;
  readonly filters: readonly string[];
  readonly concurrency: number;
  /** For one test; a file gets twice that. */
  readonly timeoutMs: number;
  /** For everything: a file whose turn comes later is skipped. */
  readonly budgetMs: number;
  /** So many files at most run again alone when they failed beside others; when more fail, it is no matter of a busy machine. */
  readonly againMax: number;
}

function parse(argv: readonly string[]): Options {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      full: { type: "boolean", default: false },
      root: { type: "string", default: process.cwd() },
      concurrency: { type: "string" },
      "timeout-ms": { type: "string" },
      "budget-ms": { type: "string" },
      "again-max": { type: "string" },
    },
  });
  const tier: Tier = values.full ? "full" : "test";
  return {
    root: values.root,
    tier,
    filters: positionals,
    concurrency: Number(values.concurrency ?? Math.min(CONCURRENCY[tier], availableParallelism() + 1)),
    timeoutMs: Number(values["timeout-ms"] ?? TIMEOUT_MS[tier]),
    budgetMs: Number(values["budget-ms"] ?? Infinity),
    againMax: Number(values["again-max"] ?? (process.env["CI"] === "true" ? AGAIN_MAX : 0)),
  };
}

/** Resolves to the exit code: 1 when anything failed, or nothing was found to run. */
async function main(options: Options): Promise<number> {
  const waiting = inProcesses(discover(options.root, options.tier, options.filters));
  if (waiting.length === 0 && (options.tier === "test" || options.filters.length > 0)) {
    console.error(`cannot run tests: no test file ${options.filters.length > 0 ? "matches" : "was found"}`);
    console.log("0 passed, 1 failed, 0 skipped");
    return 1;
  }
  if (options.root === REPOSITORY) compileAhead();
  const startedMs = performance.now();
  const results = new Map<FileResult, readonly string[]>();
  const work = async (): Promise<void> => {
    for (let paths = waiting.shift(); paths !== undefined; paths = waiting.shift()) {
      const leftMs = options.budgetMs - (performance.now() - startedMs);
      const result = await runInTime(paths, leftMs, options);
      results.set(result, paths);
      console.log(lineOf(result));
    }
  };
  await Promise.all(Array.from({ length: options.concurrency }, work));
  const { final, unstable } = await runAgain(results, options);
  console.log(summaryOf(final, unstable));
  return final.some((result) => result.failures.length > 0) ? 1 : 0;
}

/** Runs what failed once more, alone. @returns the results that count, and what passed at its second try only */
async function runAgain(
  results: ReadonlyMap<FileResult, readonly string[]>,
  options: Options,
): Promise<{ final: readonly FileResult[]; unstable: readonly FileResult[] }> {
  const failed = [...results.keys()].filter(({ failures }) => failures.length > 0);
  if (failed.length > options.againMax) return { final: [...results.keys()], unstable: [] };
  const replaced = new Map<FileResult, FileResult>();
  for (const result of failed) {
    const second = await runInTime(results.get(result) ?? [], Infinity, options);
    console.log(`${lineOf(second)} (again, alone)`);
    if (second.failures.length === 0) replaced.set(result, second);
  }
  return { final: [...results.keys()].map((result) => replaced.get(result) ?? result), unstable: [...replaced.keys()] };
}

async function runInTime(paths: readonly string[], leftMs: number, options: Options): Promise<FileResult> {
  if (leftMs > 0) {
    const { root, timeoutMs } = options;
    return runFile({ root, paths, timeoutMs, fileTimeoutMs: 2 * timeoutMs, leftMs });
  }
  const skip = { name: "the file itself", reason: "no time was left for it" };
  return { path: nameOf(paths), passed: 0, failures: [], skips: [skip], durationMs: 0, output: "" };
}

/** Servers start these in processes that can't keep what they compiled: they may not write, or are ended by a signal. */
const CHILDREN = [
  "query/child/session.ts",
  "compaction/child/compact.ts",
  "compaction/child/erase.ts",
  "compaction/child/merge.ts",
];

function compileAhead(): void {
  const telemetry = pathToFileURL(join(REPOSITORY, "server/src/stores/telemetry/"));
  const imports = CHILDREN.map((child) => `import ${JSON.stringify(new URL(child, telemetry).href)};`).join("");
  spawnSync(process.execPath, ["--input-type=module", "--eval", imports], { stdio: "inherit" });
}

// Each file runs in a process of its own and starts others: what they all load is compiled once. It halves their start.
process.env["NODE_COMPILE_CACHE"] ??= join(REPOSITORY, "node_modules/.cache/tests");
process.exitCode = await main(parse(process.argv.slice(2)));
