/**
 * Lines of other people's loggers, with times and levels that this test chooses, and lines in published forms. `mooring
 * ingest` must store the right time and level of 99 in 100, and account for every line. Loggers that can't be installed
 * are skipped and reported.
 */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { mooring } from "../fixtures/process.ts";
import { useServer } from "../fixtures/server.ts";
import { debian } from "./debian.ts";
import type { Expected, Group, Logger } from "./logger.ts";
import { PROGRAM_GROUPS } from "./programs.ts";
import { samples } from "./samples.ts";

const RIGHT_MIN = 0.99;
const LOGGERS_MIN = 15;
const SAMPLES_MIN = 10;

const shared = useServer();
const directory = mkdtempSync(join(tmpdir(), "mooring-loggers-"));
after(() => rmSync(directory, { recursive: true, force: true }));

interface Score {
  readonly logger: string;
  readonly lines: number;
  readonly expected: number;
  readonly time: number;
  readonly level: number;
  /** Records with the right time and level. */
  readonly right: number;
  readonly left: string;
}

interface Summary {
  readonly accepted: number;
  readonly refused: number;
  readonly joined: number;
  readonly blank: number;
  readonly lines: number;
  readonly reasons: Readonly<Record<string, number>>;
}

const real: Score[] = [];
const published: Score[] = [];
const skipped: string[] = [];

for (const group of [...PROGRAM_GROUPS, debian]) groupTest(group, real);
groupTest(samples, published);

describe("all loggers together", () => {
  test(`at least ${LOGGERS_MIN} real loggers`, (context) => {
    if (real.length < LOGGERS_MIN && skipped.length > 0)
      return context.skip(`only ${real.length} are available: ${skipped.join("; ")}`);
    assert.ok(real.length >= LOGGERS_MIN, `${real.length} loggers`);
  });
  test(`at least ${SAMPLES_MIN} published forms`, () => assert.ok(published.length >= SAMPLES_MIN));
  for (const [name, scores] of Object.entries({ "real loggers": real, "published forms": published })) {
    test(`99 % of the lines of ${name} have the right time and level`, () => {
      const expected = scores.reduce((sum, score) => sum + score.expected, 0);
      const right = scores.reduce((sum, score) => sum + score.right, 0);
      console.log(`# ${name}: ${scores.length}; ${right} of ${expected} records right`);
      assert.ok(right >= RIGHT_MIN * expected, JSON.stringify(scores.filter((score) => score.right < score.expected)));
    });
  }
});

function groupTest(group: Group, scores: Score[]): void {
  test(group.name, { timeout: 600_000 }, async (context) => {
    const home = join(directory, group.name.replaceAll(" ", "-"));
    mkdirSync(home);
    let loggers: readonly Logger[];
    try {
      loggers = await group.prepare(home);
    } catch (error) {
      const reason = `${group.name} is not available: ${(error as Error).message.split("\n").slice(0, 3).join(" ")}`;
      skipped.push(reason);
      return context.skip(reason);
    }
    for (const [i, logger] of loggers.entries()) {
      const place = join(home, `logger-${i}`);
      mkdirSync(place);
      const score = await tryLogger(logger, place);
      scores.push(score);
      const { lines, expected, time, level, left } = score;
      console.log(
        `# ${logger.name}: ${lines} lines; of ${expected} records ${time} right times, ${level} right levels; left out: ${left}`,
      );
    }
  });
}

async function tryLogger(logger: Logger, place: string): Promise<Score> {
  const { file, expected } = await logger.write(place);
  const written = readFileSync(file, "utf8");
  for (const { id } of expected) assert.ok(written.includes(id), `${logger.name} did not write ${id}`);
  const service = logger.name.replaceAll("'", "");
  const credentials = join(place, "credentials.json");
  writeFileSync(credentials, JSON.stringify(shared.home), { mode: 0o600 });
  const words = [
    "ingest",
    "logs",
    file,
    "--format",
    "text",
    "--service",
    service,
    "--json",
    "--credentials",
    credentials,
  ];
  const outcome = await mooring(words);
  assert.equal(outcome.code, 0, `${logger.name}: ${outcome.stderr}`);
  const summary = JSON.parse(outcome.stdout) as Summary;
  checkCounts(logger.name, written, summary);
  const rows = await rowsOf(service);
  assert.equal(rows.length, summary.accepted, `${logger.name}: accepted entries exist`);
  return scoreOf(logger.name, summary, expected, rows);
}

/** Asserts that every line that is left out has a count and a reason. */
function checkCounts(
  name: string,
  written: string,
  { lines, accepted, refused, joined, blank, reasons }: Summary,
): void {
  assert.equal(lines, written.replace(/\n$/, "").split("\n").length, `${name}: lines`);
  assert.equal(accepted + refused + joined + blank, lines, `${name}: every line is counted`);
  const withReason = Object.values(reasons).reduce((sum, count) => sum + count, 0);
  assert.equal(withReason, refused, `${name}: every line that is left out has a reason`);
}

interface Row {
  readonly timestamp: string;
  readonly level: string;
  readonly severity: number | null;
  readonly severity_name: string | null;
  readonly message: string;
}

async function rowsOf(service: string): Promise<readonly Row[]> {
  const token = await shared.server.token(shared.home.credential);
  const sql = `SELECT timestamp, level, severity, severity_name, message FROM logs WHERE service = '${service}'`;
  const answer = await shared.server.call<{ rows: Row[] }>("POST", "/v1/query", { token, json: { sql } });
  assert.equal(answer.status, 200, answer.text);
  return answer.body.rows;
}

function scoreOf(logger: string, summary: Summary, expected: readonly Expected[], rows: readonly Row[]): Score {
  let [time, level, right] = [0, 0, 0];
  for (const one of expected) {
    const found = rows.filter(({ message }) => message.includes(one.id));
    const row = found.length === 1 ? found[0] : undefined;
    const ms = Date.parse(row?.timestamp ?? "");
    const isTime = ms >= one.fromMs && ms <= one.toMs;
    const isLevel = row !== undefined && isRight(row, one.level);
    time += Number(isTime);
    level += Number(isLevel);
    right += Number(isTime && isLevel);
    if (!(isTime && isLevel) && right + 3 > time)
      console.log(`# wrong: ${logger}: ${JSON.stringify({ one, found: found.slice(0, 2) })}`);
  }
  const { lines, reasons } = summary;
  return { logger, lines, expected: expected.length, time, level, right, left: JSON.stringify(reasons) };
}

/** A line without a level has no severity, and none is guessed. */
function isRight(row: Row, level: string | null): boolean {
  return level === null ? row.level === "unspecified" && row.severity === null : row.severity_name === level;
}
