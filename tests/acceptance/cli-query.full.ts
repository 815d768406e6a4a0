/** `mooring query`: results in files and in columns, times, and plans. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { tableFromIPC } from "apache-arrow";
import { mooring, type Outcome } from "../fixtures/process.ts";
import { PROGRAM } from "../fixtures/program.ts";
import { useServer } from "../fixtures/server.ts";

const MORE_THAN_ANSWERED = "SELECT range AS n, md5(range::VARCHAR) AS text FROM range(1000001)";

const directory = mkdtempSync(join(tmpdir(), "mooring-cli-query-"));
useServer({}, async ({ home }) => {
  writeFileSync(join(directory, "credentials.json"), JSON.stringify(home), { mode: 0o600 });
  const lines = Array.from({ length: 60 }, (_, minute) =>
    JSON.stringify({
      timestamp: `2026-11-20T08:${String(minute).padStart(2, "0")}:00Z`,
      level: minute % 2 === 0 ? "info" : "error",
      message: `minute ${minute}`,
    }),
  );
  const sent = await run(["ingest", "logs", "-"], lines.join("\n"));
  assert.equal(sent.code, 0, sent.stderr);
});
after(() => rmSync(directory, { recursive: true, force: true }));

function run(args: readonly string[], input?: string): Promise<Outcome> {
  const words = [...args, "--credentials", join(directory, "credentials.json")];
  return mooring(words, input === undefined ? {} : { input });
}

test("--output writes the result of each format into a file", async () => {
  for (const format of ["json", "ndjson", "csv", "arrow", "parquet", "table"]) {
    const file = join(directory, `result.${format}`);
    const outcome = await run([
      "query",
      "SELECT message FROM logs ORDER BY timestamp",
      "--format",
      format,
      "--output",
      file,
    ]);
    assert.deepEqual([outcome.code, outcome.stdout], [0, ""], outcome.stderr);
    assert.ok(readFileSync(file).length > 100, format);
  }
  const table = tableFromIPC(readFileSync(join(directory, "result.arrow")));
  assert.equal(table.getChild("message")?.get(59), "minute 59");
  assert.match(readFileSync(join(directory, "result.parquet"), "latin1"), /^PAR1[\s\S]*PAR1$/);
});

test("a result that breaks off leaves no file, and an existing file stays", async () => {
  for (const format of ["ndjson", "arrow", "parquet"]) {
    const file = join(directory, `broken.${format}`);
    writeFileSync(file, "before");
    const outcome = await run(["query", MORE_THAN_ANSWERED, "--format", format, "--output", file]);
    assert.equal(outcome.code, 1);
    assert.match(outcome.stderr, /^mooring query: cannot (?:finish|run) the query: /);
    assert.equal(readFileSync(file, "utf8"), "before");
    assert.deepEqual(
      readdirSync(directory).filter((name) => name.endsWith(".part")),
      [],
    );
  }
});

test("a file that can't be written is named", async () => {
  const file = join(directory, "absent", "result.csv");
  const outcome = await run(["query", "SELECT 1", "--output", file]);
  assert.equal(outcome.code, 1);
  assert.ok(outcome.stderr.includes(`cannot write ${file}`), outcome.stderr);
});

const script = existsSync("/usr/bin/script") ? false : "script(1) is missing here, which provides a terminal";
test("bytes are not written to a terminal", { skip: script }, () => {
  const command = `${process.execPath} ${PROGRAM} query "SELECT 1" --format parquet --credentials ${join(directory, "credentials.json")}`;
  const { status, stdout } = spawnSync("script", ["-qec", command, "/dev/null"], { encoding: "utf8" });
  assert.equal(status, 2);
  assert.match(stdout, /add --output FILE/);
});

test("--from and --to limit the rows", async () => {
  const bounded = ["--from", "2026-11-20T08:10:00Z", "--to", "2026-11-20T08:20:00Z"];
  const outcome = await run(["query", "SELECT count(*) AS n, min(message) AS first FROM logs", ...bounded]);
  assert.equal(outcome.stdout, '{"n":10,"first":"minute 10"}\n', outcome.stderr);
});

test("--explain shows the plan and runs nothing; --analyze runs the query", async () => {
  const sql = "SELECT level, count(*) FROM logs GROUP BY level";
  const plan = await run(["query", sql, "--explain"]);
  assert.equal(plan.code, 0, plan.stderr);
  assert.match(plan.stdout, /^[A-Z_]+\n(?: {2}[^\n]+\n)* +[A-Z_]+\n/);
  assert.doesNotMatch(plan.stdout, / ms\)/);
  assert.match((await run(["query", sql, "--analyze"])).stdout, /\(\d+ rows, .*ms\)/);
  const json = JSON.parse((await run(["query", sql, "--explain", "--format", "json"])).stdout) as { plan: object };
  assert.ok("operator" in json.plan);
  assert.equal((await run(["query", sql, "--explain", "--format", "csv"])).code, 2);
});
