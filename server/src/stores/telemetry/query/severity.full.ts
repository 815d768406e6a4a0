import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { LEVEL_SPELLINGS, severityName, severityOf } from "#kernel/severity.ts";
import { openFiles, type FilesEngine } from "./testing/files.ts";
import { rows } from "./testing/harness.ts";

const DECORATED_LEVELS = [
  "[WARN]",
  "Err:",
  "<crit>",
  "\u001b[33mwarn\u001b[39m",
  " info ",
  "unspecified",
  "",
  "élan",
  "[]",
];
const SPELLED = [...LEVEL_SPELLINGS.keys()].flatMap((word) => [word, word.toUpperCase()]);
const LEVELS = [...new Set([...SPELLED, ...DECORATED_LEVELS])];
/** Rows of each level: one in an old file, one in a new file and one in the log. */
const log = (level: string, i: number, severity?: number): object => ({
  timestamp: new Date(Date.UTC(2026, 10, 20) + i * 1000).toISOString(),
  level,
  ...(severity === undefined ? {} : { severity }),
  message: "m",
  attributes: { user: "u" },
});

describe("severity_name", { concurrency: 1 }, () => {
  let files: FilesEngine;
  before(async () => {
    const derived = LEVELS.map((level, i) => log(level, i, severityOf(level)) as Record<string, unknown>);
    const bare = LEVELS.map((level, i) => log(level, i) as Record<string, unknown>);
    files = await openFiles(
      [
        { type: "logs", rows: derived },
        { type: "logs", rows: bare, oldSpellings: true, promoted: ["user"] },
        { type: "logs", rows: [log("WARN", 1, 14) as Record<string, unknown>], oldSpellings: true },
      ],
      { logs: bare },
    );
  });
  after(() => files.close());

  test("is the same for every spelling in old files, new files and the log", async () => {
    const found = await rows(
      files.engine(),
      "SELECT level, severity, severity_name, count(*) FROM logs WHERE (level = 'WARN' AND severity = 14) IS NOT TRUE GROUP BY ALL",
    );
    const expected = LEVELS.map((level) => {
      const severity = severityOf(level);
      return [level, severity ?? null, severityName(severity) ?? null, 3];
    });
    assert.deepEqual(found.toSorted(byLevel), expected.toSorted(byLevel));
  });

  test("groups levels by their meaning, and keeps a severity that was sent", async () => {
    const found = await rows(
      files.engine(),
      "SELECT severity_name, count(*) FROM logs WHERE level IN ('WARN', 'warn', 'wrn', 'W') AND (attributes->>'user') = 'u' GROUP BY ALL",
    );
    assert.deepEqual(found, [["warn", 13]]);
    const sent = "SELECT severity_name FROM logs WHERE severity = 14 AND level = 'WARN'";
    assert.deepEqual(await rows(files.engine(), sent), [["warn"]]);
  });

  test("is among the columns, after severity", async () => {
    const names = (await rows(files.engine(), "SELECT column_name FROM (DESCRIBE logs)")).flat();
    assert.deepEqual(names.slice(1, 4), ["level", "severity", "severity_name"]);
  });

  test("applies to visible rows only", async () => {
    const visible = { projectIds: ["proj_1"], unassigned: false };
    assert.deepEqual(await rows(files.engine(), "SELECT severity_name FROM logs", { visible }), []);
  });
});

function byLevel(a: readonly unknown[], b: readonly unknown[]): number {
  return String(a[0]) < String(b[0]) ? -1 : 1;
}
