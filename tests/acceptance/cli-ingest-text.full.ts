/** `mooring ingest --format text`: times and levels as they are stored, no guessed level, and a report of every line. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { mooring, type Outcome } from "../fixtures/process.ts";
import { useSharedServer } from "../fixtures/server.ts";

const shared = useSharedServer();
let directory = "";
before(() => {
  directory = mkdtempSync(join(tmpdir(), "mooring-cli-text-"));
});
after(() => rmSync(directory, { recursive: true, force: true }));

interface Summary {
  readonly accepted: number;
  readonly refused: number;
  readonly joined: number;
  readonly blank: number;
  readonly lines: number;
  readonly time_from_arrival: number;
  readonly time_from_previous: number;
  readonly reasons: Readonly<Record<string, number>>;
}

function ingest(input: readonly string[], ...options: readonly string[]): Promise<Outcome> {
  const file = join(directory, "credentials.json");
  writeFileSync(file, JSON.stringify(shared.home), { mode: 0o600 });
  const credentials = ["--credentials", file];
  return mooring(["ingest", "logs", "-", "--format", "text", ...options, ...credentials], {
    input: input.join("\n"),
    deadlineMs: 60_000,
  });
}

/** Sends lines with a separate service, and checks that the report accounts for each. */
async function take(service: string, input: readonly string[], ...options: readonly string[]): Promise<Summary> {
  const outcome = await ingest(input, "--service", service, "--json", ...options);
  assert.equal(outcome.code, 0, outcome.stderr);
  const summary = JSON.parse(outcome.stdout) as Summary;
  assert.equal(summary.lines, input.length);
  assert.equal(summary.accepted + summary.refused + summary.joined + summary.blank, summary.lines, outcome.stdout);
  assert.equal(
    Object.values(summary.reasons).reduce((sum, count) => sum + count, 0),
    summary.refused,
  );
  return summary;
}

async function stored(service: string): Promise<Record<string, unknown>[]> {
  const sql = `SELECT timestamp, level, severity, message, attributes FROM logs WHERE service = '${service}' ORDER BY timestamp, message`;
  const answer = await shared.server.call<{ rows: Record<string, unknown>[] }>("POST", "/v1/query", {
    token: shared.token,
    json: { sql },
  });
  assert.equal(answer.status, 200, answer.text);
  return answer.body.rows;
}

describe("times and levels", () => {
  test("a level before the message has its severity; without one the level is unspecified and the severity NULL", async () => {
    await take("levels", [
      "2026-11-20 08:00:00,747 - WARN  [Quorum@1] - late",
      "2026-11-20 08:00:01 it works",
      '192.0.2.7 - - [20/Nov/2026:08:00:02 +0000] "GET / HTTP/1.1" 503 5',
      "ERROR 2026-11-20 08:00:03,123 views it broke",
    ]);
    const rows = await stored("levels");
    assert.deepEqual(
      rows.map(({ level, severity }) => [level, severity]),
      [
        ["WARN", 13],
        ["unspecified", null],
        ["unspecified", null],
        ["ERROR", 17],
      ],
    );
    assert.equal(rows[0]?.["timestamp"], "2026-11-20T08:00:00.747Z");
  });

  test("epoch seconds and milliseconds, no year, no date", async () => {
    const now = new Date();
    const clock = new Date(now.getTime() - 60_000).toISOString().slice(11, 19);
    await take("forms", ["1795161600 ERROR a", "1795161600123 WARN b", `${clock} [info] d`]);
    const times = (await stored("forms")).map(({ timestamp }) => String(timestamp));
    assert.ok(times.includes("2026-11-20T08:00:00Z") && times.includes("2026-11-20T08:00:00.123Z"), times.join());
    const dated = times.map((time) => Date.parse(time)).filter((ms) => Math.abs(now.getTime() - 60_000 - ms) < 2000);
    assert.equal(dated.length, 1, "a time without a date is on the latest day that does not put it in the future");
    const month = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"][
      now.getUTCMonth()
    ];
    await take("year", [`${month} ${now.getUTCDate()} 00:00:00 web1 app[1]: x`]);
    assert.equal((await stored("year"))[0]?.["timestamp"], `${now.toISOString().slice(0, 10)}T00:00:00Z`);
  });
});

describe("lines without a time", () => {
  const lines = ["before all", "2026-11-20 08:00:00 ERROR it broke", "\tat run (a.js:1)", "", "WARN alone"];

  test("are joined, or left out with a reason and a count", async () => {
    const summary = await take("joined", lines);
    assert.deepEqual([summary.accepted, summary.joined, summary.blank], [1, 1, 1]);
    assert.deepEqual(summary.reasons, { no_time: 2 });
    assert.equal((await stored("joined"))[0]?.["message"], "it broke\n\tat run (a.js:1)");
  });

  test("the report for people has the same numbers and names the lines", async () => {
    const outcome = await ingest(lines, "--service", "people");
    assert.match(
      outcome.stdout,
      /^1 logs accepted from 5 lines, 2 left out \(2 no time\), 1 joined to the line before, 1 blank, in /,
    );
    assert.match(outcome.stderr, /^stdin:1: no time in its first 80 characters.*--on-no-time/m);
    assert.match(outcome.stderr, /^stdin:5: no time/m);
  });

  test("--on-no-time previous and now", async () => {
    const previous = await take("previous", lines, "--on-no-time", "previous");
    assert.deepEqual([previous.accepted, previous.time_from_previous, previous.reasons], [2, 1, { no_time: 1 }]);
    assert.deepEqual(
      (await stored("previous")).map(({ timestamp, level }) => [timestamp, level]),
      [
        ["2026-11-20T08:00:00Z", "WARN"],
        ["2026-11-20T08:00:00Z", "ERROR"],
      ],
    );
    const fromMs = Date.now();
    const now = await take("now", lines, "--on-no-time", "now");
    assert.deepEqual([now.accepted, now.time_from_arrival, now.refused], [3, 2, 0]);
    const arrived = (await stored("now")).filter(({ timestamp }) => Date.parse(String(timestamp)) >= fromMs);
    assert.deepEqual(new Set(arrived.map(({ message }) => message)), new Set(["alone", "before all"]));
  });

  test("--on-no-time reject leaves out the lines that would be joined", async () => {
    const summary = await take("reject", [...lines, "more"], "--on-no-time", "reject");
    assert.deepEqual([summary.accepted, summary.joined, summary.reasons], [1, 1, { no_time: 3 }]);
  });
});

describe("other forms", () => {
  test("--pattern and --time-format", async () => {
    const pattern = String.raw`^(?<time>\S+ \S+) (?<level>\w+) <(?<shard>\d+)> (?<message>.*)`;
    const lines = ["20.11.26 08-00-00 warn <7> slow", "20.11.26 08-00-01 odd <8> strange"];
    await take("pattern", lines, "--pattern", pattern, "--time-format", "%d.%m.%y %H-%M-%S");
    const [first, second] = await stored("pattern");
    assert.deepEqual(
      { ...first },
      { timestamp: "2026-11-20T08:00:00Z", level: "warn", severity: 13, message: "slow", attributes: { shard: "7" } },
    );
    assert.deepEqual([second?.["level"], second?.["severity"]], ["odd", null]);
  });

  for (const [options, message] of [
    [["--pattern", "("], /cannot use --pattern: .*Unterminated group/],
    [["--time-format", "%Y-%q"], /cannot use --time-format: %q is not a known directive/],
    [["--on-no-time", "later"], /--on-no-time must be one of now, previous, reject, not "later"/],
  ] as const) {
    test(`${options.join(" ")} is a usage error`, async () => {
      const outcome = await ingest(["x"], ...options);
      assert.equal(outcome.code, 2);
      assert.match(outcome.stderr, message);
    });
  }

  test("the options are for plain lines", async () => {
    const outcome = await mooring(["ingest", "logs", "-", "--on-no-time", "now"]);
    assert.equal(outcome.code, 2);
    assert.match(outcome.stderr, /--on-no-time is for plain lines; add --format text/);
  });
});
