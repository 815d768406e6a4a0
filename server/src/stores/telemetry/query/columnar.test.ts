import assert from "node:assert/strict";
import { buffer } from "node:stream/consumers";
import { after, before, describe, test } from "node:test";
import { tableFromIPC } from "apache-arrow";
import type { QueryRequest } from "../types.ts";
import { FIXTURE } from "./testing/fixture.ts";
import { openTestEngine, request, type TestEngine } from "./testing/harness.ts";

const MIB = 1024 * 1024;

describe("results in columns", { concurrency: 1 }, () => {
  let open: TestEngine;

  before(async () => {
    open = await openTestEngine(FIXTURE, { resultBytesMax: 24 * MIB });
  });
  after(async () => {
    assert.equal(open.held(), 0);
    await open.close();
  });

  async function ask(sql: string, format: "arrow" | "parquet", more: Partial<QueryRequest> = {}): Promise<Buffer> {
    const { body } = await open.engine.query(request(sql, { format, ...more }));
    return buffer(body);
  }

  const isParquet = (bytes: Buffer): boolean =>
    bytes.subarray(0, 4).toString() === "PAR1" && bytes.subarray(-4).toString() === "PAR1";

  test("a table's rows, hot and in Parquet, have every column", async () => {
    const table = tableFromIPC(await ask("SELECT * FROM logs ORDER BY timestamp", "arrow"));
    assert.equal(table.numRows, 1000);
    const [first] = table.toArray() as { message: string; attributes: string; project_id: string }[];
    assert.deepEqual([first?.message, first?.project_id], ["GET /api/items/0 took 0ms", "proj_a"]);
    assert.equal((JSON.parse(first?.attributes ?? "") as { user: string }).user, "u0");
    assert.ok(isParquet(await ask("SELECT * FROM metrics", "parquet")));
  });

  test("the answer has the content type", async () => {
    for (const [format, type] of [
      ["arrow", "application/vnd.apache.arrow.stream"],
      ["parquet", "application/vnd.apache.parquet"],
    ] as const) {
      const run = await open.engine.query(request("SELECT 1 AS a", { format }));
      assert.equal(run.contentType, type);
      await buffer(run.body);
    }
  });

  for (const format of ["arrow", "parquet"] as const) {
    describe(format, () => {
      test("limits apply at the limit and one past it", async () => {
        const sql = "SELECT range AS n FROM range(11)";
        await assert.rejects(ask(sql, format, { rowsMax: 10 }), { code: "query_too_large" });
        const cut = await ask(sql, format, { rowsMax: 10, truncate: true });
        if (format === "arrow") assert.equal(tableFromIPC(cut).numRows, 10);
        else assert.ok(isParquet(cut));
      });

      test("an error within the first megabyte is a plain error response", async () => {
        const sql = "SELECT CASE WHEN range = 1000 THEN error('no') ELSE range END AS n FROM range(2000)";
        await assert.rejects(ask(sql.replace("error('no')", "('x' || range)::INT"), format), { code: "query_failed" });
      });
    });
  }
});
