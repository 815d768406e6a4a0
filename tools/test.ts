// npm test [-- PART_OF_A_PATH ...], npm run full: run test files, many of them together in one process.
import { spawnSync } from "node:child_process";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import type { DatabaseKind } from "../tests/fixtures/databases.ts";
import { offerPostgres } from "../tests/fixtures/offer-postgres.ts";
import { discover, type Tier } from "./test-runner/discover.ts";
import { GROUPS, groupsOf, type Group } from "./test-runner/groups.ts";
import { installPackage } from "./test-runner/installed.ts";
import { lineOf, summaryOf } from "./test-runner/report.ts";
import { runFiles, withoutTime } from "./test-runner/run-files.ts";
import { byProcess, shuffled } from "./test-runner/sharing.ts";
import type { FileResult } from "./test-runner/tally.ts";

const REPOSITORY = join(import.meta.dirname, "..");
const TIMEOUT_MS: Record<Tier, number> = { test: 120_000, full: 900_000 };
/** Many of the short tests wait at times; the long ones keep both processors busy. */
const CONCURRENCY: Record<Tier, number> = { test: 3, full: 2 };

interface Options {
  readonly root: string;
  readonly tier: Tier;
  readonly filters: readonly string[];
  readonly concurrency: number;
  /** The limit of one test. A file has twice that. */
  readonly timeoutMs: number;
  /** The limit of everything. Files that do not start in time are skipped. */
  readonly budgetMs: number;
  /** The seed of a random order of the files; null: sorted by path. */
  readonly shuffle: number | null;
  /** The group of the long tests to run; null: all. */
  readonly group: Group | null;
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
      shuffle: { type: "string" },
      group: { type: "string" },
    },
  });
  const tier: Tier = values.full ? "full" : "test";
  const group = GROUPS.find(({ name }) => name === values.group) ?? null;
  if (values.group !== undefined && group === null) {
    throw new Error(`there is no group ${values.group}; there are: ${GROUPS.map(({ name }) => name).join(", ")}`);
  }
  return {
    root: values.root,
    tier,
    filters: positionals,
    concurrency: Number(values.concurrency ?? (group?.oneAtATime === true ? 1 : concurrencyOf(tier))),
    timeoutMs: Number(values["timeout-ms"] ?? TIMEOUT_MS[tier]),
    budgetMs: Number(values["budget-ms"] ?? Infinity),
    shuffle: values.shuffle === undefined ? null : Number(values.shuffle),
    group,
  };
}

function concurrencyOf(tier: Tier): number {
  return Math.min(CONCURRENCY[tier], availableParallelism() + 1);
}

/** Returns the exit code: 1 when a test failed or no test was found. */
async function main(options: Options): Promise<number> {
  const paths = pathsOf(options);
  if (paths.length === 0 && (options.tier === "test" || options.filters.length > 0)) {
    console.error(`cannot run tests: no test file ${options.filters.length > 0 ? "matches" : "was found"}`);
    console.log("0 passed, 1 failed, 0 skipped");
    return 1;
  }
  const installed = options.group?.again === "installed" ? installPackage() : undefined;
  if (installed !== undefined) Object.assign(process.env, installed.environment);
  else if (options.root === REPOSITORY) compileAhead();
  const database = databaseOf(options);
  if (database !== undefined) process.env["MOORING_TEST_DATABASES"] ??= database;
  const postgres = await offerPostgres();
  const waiting = byProcess(options.shuffle === null ? paths : shuffled(paths, options.shuffle));
  const startedMs = performance.now();
  const results: FileResult[] = [];
  const work = async (): Promise<void> => {
    for (let together = waiting.shift(); together !== undefined; together = waiting.shift()) {
      const leftMs = options.budgetMs - (performance.now() - startedMs);
      const ran = await runInTime(together, leftMs, options);
      results.push(...ran);
      for (const result of ran) console.log(lineOf(result));
    }
  };
  await Promise.all(Array.from({ length: options.concurrency }, work));
  await postgres.stop();
  installed?.remove();
  console.log(summaryOf(results));
  return results.some((result) => result.failures.length > 0) ? 1 : 0;
}

function pathsOf({ root, tier, filters, group }: Options): string[] {
  if (group === null) return discover(root, tier, filters);
  const tiers: readonly Tier[] = group.again === undefined ? [tier] : ["test", tier];
  const found = tiers.flatMap((each) => discover(root, each, filters));
  return found.filter((path) => groupsOf(path, group.again).includes(group.name));
}

/** Returns the only database of suites that run on both, or undefined for both. */
function databaseOf({ tier, group }: Options): DatabaseKind | undefined {
  if (group?.again === "postgres") return "postgres";
  return tier === "test" ? "sqlite" : undefined;
}

async function runInTime(paths: readonly string[], leftMs: number, options: Options): Promise<readonly FileResult[]> {
  if (leftMs <= 0) return paths.map(withoutTime);
  const { root, timeoutMs } = options;
  return runFiles({ root, paths, timeoutMs, fileTimeoutMs: 2 * timeoutMs, leftMs });
}

/** Scripts that servers start in processes that can't store compiled code: they may not write, or they are killed. */
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

// Tests start many processes. Sharing compiled code between them halves their start.
process.env["NODE_COMPILE_CACHE"] ??= join(REPOSITORY, "node_modules/.cache/tests");
process.exitCode = await main(parse(process.argv.slice(2)));
