import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Problem } from "#kernel/problem.ts";
import { openFiles, type FilesEngine } from "./testing/files.ts";
import { resultText } from "./testing/harness.ts";

const ROW = {
  timestamp: "2026-11-20T08:00:00Z",
  level: "info",
  message: "/api/v1/orders",
  attributes: { path: "/x.js" },
};

/** The statement, the position of its error, and the message. */
const CASES: readonly (readonly [sql: string, position: [number, number] | undefined, message: RegExp])[] = [
  ["SELECT org_id FROM logs", [1, 8], /column "org_id" not found/],
  ["SELECT '/api/v1/orders'::INT", [1, 24], /Could not convert string '\/api\/v1\/orders' to INT32/],
  ["SELECT message::INT FROM logs", [1, 15], /'\/api\/v1\/orders'/],
  ["SELECT (attributes->>'path')::INT FROM logs", [1, 29], /'\/x\.js'/],
  ["SELECT level = ANY('/x') FROM logs", undefined, /UNNEST/],
  ["SELECT cout(*) FROM logs", [1, 8], /there is no function cout; did you mean count\?/],
  ["SELECT * FROM logz", [1, 15], /there is no table "logz"; did you mean logs\?/],
  ["SELECT count(*) FROM logs\n WHERE level = error", [2, 16], /column "error" not found.*write 'error'/],
  ["SELECT count(*) FROM logs WHERE level IN (warn, 'x')", [1, 43], /write 'warn'/],
  ["SELECT mesage FROM logs", [1, 8], /did you mean "message"\?/],
  ["SELECT 'é😀', levl FROM logs", [1, 15], /did you mean "level"\?/],
  ["SELECT date_trunc('hour', timestamp) t, nope FROM logs GROUP BY 1", [1, 41], /"nope" not found/],
  ["SELEC 1", [1, 1], /did you mean SELECT\?/],
  ["SELECT 1\nFRM logs x", [2, 5], /syntax error at or near "logs"/],
  ["SELECT read_text('x')", [1, 8], /not allowed.*reads files/],
  ["SELECT level, count(*) FROM logs", [1, 8], /GROUP BY/],
];

describe("messages", { concurrency: 1 }, () => {
  let files: FilesEngine;
  before(async () => {
    files = await openFiles([{ type: "logs", rows: [ROW], promoted: ["path"] }], {});
  });
  after(() => files.close());

  async function problemOf(sql: string): Promise<Problem> {
    const answer = await resultText(files.engine(), sql).catch((error: unknown) => error);
    assert.ok(answer instanceof Problem, String(answer));
    return answer;
  }

  for (const [sql, position, message] of CASES) {
    test(`of ${JSON.stringify(sql)}`, async () => {
      const problem = await problemOf(sql);
      assert.match(problem.message, message);
      const place = position && { line: position[0], column: position[1] };
      if (place !== undefined) {
        assert.deepEqual(problem.options.position, place, problem.message);
        assert.ok(problem.message.includes(`(at line ${place.line}, column ${place.column})`), problem.message);
      }
      assert.ok(!/stored data|another organization|attribute_/.test(problem.message), problem.message);
    });
  }

  test("no advice that the caller can't follow", async () => {
    const deep = `SELECT ${"abs(".repeat(170)}1${")".repeat(170)}`;
    for (const sql of [
      "SELECT '10.0.0.1'::INET",
      deep,
      "SELECT * FROM logs ORDER BY ALL + 1",
      "SELECT 'x' COLLATE nope",
    ]) {
      const answer = await resultText(files.engine(), sql).catch((error: unknown) => error);
      if (answer instanceof Problem)
        assert.doesNotMatch(answer.message, /\b(SET|INSTALL|LOAD|PRAGMA) |duckdb\.org/, sql);
    }
  });
});
