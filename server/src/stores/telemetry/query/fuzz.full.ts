/**
 * Runs random statements of a grammar. None may write anything, or reveal anything of others or of the host, and the
 * engine must stay up.
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { DuckDBInstance } from "@duckdb/node-api";
import { Problem } from "#kernel/problem.ts";
import { ALLOWED_AGGREGATES, ALLOWED_FUNCTIONS } from "./gate/functions.ts";
import { readingAttacks, writingAttacks } from "./testing/attacks.ts";
import { FIXTURE } from "./testing/fixture.ts";
import { Grammar, Random, type Vocabulary } from "./testing/grammar.ts";
import {
  MASTER_KEY,
  openTestEngine,
  OTHER_MARK,
  OTHER_ORG,
  resultText,
  rows,
  type TestEngine,
} from "./testing/harness.ts";

/** `MOORING_FUZZ_STATEMENTS=100000` is the full run, which takes half an hour. `MOORING_FUZZ_SEED` makes other statements. */
const STATEMENTS = Number(process.env["MOORING_FUZZ_STATEMENTS"] ?? 10_000);
const SEED = Number(process.env["MOORING_FUZZ_SEED"] ?? 20_261_120);
const WORKERS = 3;
const CHECK_EVERY = 1000;
const MIB = 1024 * 1024;
const MEMORY_BYTES_MAX = 128 * MIB;
/**
 * Memory of a child while it runs a query: the memory before it, the query's own memory, and a margin between two
 * samples.
 */
const PEAK_BYTES_MAX = 2 * MEMORY_BYTES_MAX + 256 * MIB;
/** The longest time of one statement, with its time limit, its grace and a new child. */
const STATEMENT_MS_MAX = 10_000;

let open: TestEngine;
let words: Vocabulary;
let untouched: Record<string, string>;

before(async () => {
  open = await openTestEngine(FIXTURE, { memoryBytesMax: MEMORY_BYTES_MAX });
  const attacks = [...readingAttacks(open.targets), ...writingAttacks(open.targets)].map(({ sql }) => sql);
  const short = attacks.filter((sql) => sql.length < 500);
  words = { ...(await knownFunctions()), targets: open.targets, statements: short };
  untouched = contents(open.directory);
});
after(() => open.close());

async function knownFunctions(): Promise<Pick<Vocabulary, "allowed" | "functions" | "tableFunctions">> {
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  const reader = await connection.runAndReadAll(
    `SELECT DISTINCT function_name, function_type, to_json(parameter_types) FROM duckdb_functions()
     WHERE regexp_full_match(function_name, '\\w+') ORDER BY ALL`,
  );
  connection.closeSync();
  instance.closeSync();
  const all = reader.getRows().map(([name, kind, parameters]) => ({
    name: String(name),
    kind: String(kind),
    parameters: (JSON.parse(String(parameters)) as (string | null)[]).map((type) => type ?? "ANY"),
  }));
  const isTable = ({ kind }: { kind: string }): boolean => /table|pragma/.test(kind);
  return {
    allowed: all.filter(
      (each) => !isTable(each) && (ALLOWED_FUNCTIONS.has(each.name) || ALLOWED_AGGREGATES.has(each.name)),
    ),
    functions: all.filter((each) => !isTable(each)).map(({ name }) => name),
    tableFunctions: all.filter(isTable).map(({ name }) => name),
  };
}

/** Returns every name with a digest of its content, so that any write changes the result. */
function contents(directory: string): Record<string, string> {
  const files: Record<string, string> = {};
  for (const name of readdirSync(directory, { recursive: true, encoding: "utf8" }).toSorted()) {
    const path = join(directory, name);
    files[name] = statSync(path).isFile() ? createHash("sha256").update(readFileSync(path)).digest("hex") : "directory";
  }
  return files;
}

/** Asserts that the answer has no secret that the statement itself did not have. */
function assertSilent(answer: string, sql: string): void {
  const secrets = [open.directory, process.cwd(), process.execPath, "node_modules", OTHER_ORG, MASTER_KEY, OTHER_MARK];
  for (const secret of [...secrets, "root:x:0:0", "LD_LIBRARY_PATH=", "PATH=/"])
    assert.ok(
      !answer.includes(secret) || sql.includes(secret),
      `${secret} is revealed by ${sql}: ${answer.slice(0, 500)}`,
    );
}

async function attempt(sql: string): Promise<string> {
  const startedMs = performance.now();
  const limits = { timeoutMs: 500, memoryBytesMax: MEMORY_BYTES_MAX, rowsMax: 50, truncate: true };
  let outcome = "answered";
  try {
    assertSilent(await resultText(open.engine, sql, limits), sql);
  } catch (error) {
    if (!(error instanceof Problem)) throw new Error(`${sql}: ${String(error)}`, { cause: error });
    assertSilent(`${error.message} ${JSON.stringify(error.options.errors ?? [])}`, sql);
    outcome = error.code;
  }
  assert.ok(performance.now() - startedMs < STATEMENT_MS_MAX, `too slow: ${sql}`);
  return outcome;
}

test(`${STATEMENTS} statements of seed ${SEED}`, async (t) => {
  t.after(() => {
    for (const { message, fields } of open.logged.filter(({ level }) => level === "error"))
      t.diagnostic(`${message}: ${String(fields["err"])}`);
  });
  const grammar = new Grammar(new Random(SEED), words);
  const outcomes = new Map<string, number>();
  let peakBytes = 0;
  for (let done = 0; done < STATEMENTS; done += CHECK_EVERY) {
    const statements = Array.from({ length: Math.min(CHECK_EVERY, STATEMENTS - done) }, () => grammar.statement());
    const work = async (): Promise<void> => {
      for (let sql = statements.pop(); sql !== undefined; sql = statements.pop()) {
        const outcome = await attempt(sql);
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      }
    };
    await Promise.all(Array.from({ length: WORKERS }, work));
    assert.deepEqual(contents(open.directory), untouched);
    assert.deepEqual(await rows(open.engine, "SELECT count(*), count(DISTINCT message) FROM logs"), [[1000, 1000]]);
    for (const { fields } of open.logged.splice(0)) peakBytes = Math.max(peakBytes, Number(fields["peak_bytes"] ?? 0));
    assert.ok(peakBytes <= PEAK_BYTES_MAX, `a child had ${peakBytes} bytes`);
  }
  assert.equal(open.held(), 0);
  t.diagnostic(`${JSON.stringify(Object.fromEntries(outcomes))}, peak of a child ${Math.round(peakBytes / MIB)} MiB`);
  // If most statements are refused, the run tests nothing after the gate.
  assert.ok((outcomes.get("answered") ?? 0) > STATEMENTS / 3, JSON.stringify([...outcomes]));
});
