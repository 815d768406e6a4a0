import assert from "node:assert/strict";
import { once } from "node:events";
import { buffer } from "node:stream/consumers";
import { after, before, describe, test } from "node:test";
import { tableFromIPC } from "apache-arrow";
import type { Problem } from "#kernel/problem.ts";
import type { QueryRequest } from "../types.ts";
import { FIXTURE } from "./testing/fixture.ts";
import { openTestEngine, request, rows, until, type TestEngine } from "./testing/harness.ts";

const MIB = 1024 * 1024;
/** Texts of 64 bytes that do not compress. */
const MANY = "SELECT range AS n, md5(range::VARCHAR) || md5((-range)::VARCHAR) AS text FROM range(1000000)";

describe("large results in columns", { concurrency: 1 }, () => {
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

  for (const format of ["arrow", "parquet"] as const) {
    describe(format, () => {
      test("a later error breaks the result off, and there is no end", async () => {
        const sql = `SELECT text, CASE WHEN n < 200000 THEN n ELSE ('x' || n)::INT END AS n FROM (${MANY})`;
        const { body } = await open.engine.query(request(sql, { format, rowsMax: 2_000_000 }));
        const parts: Buffer[] = [];
        const failure = await (async () => {
          for await (const part of body) parts.push(part as Buffer);
        })().then(
          () => undefined,
          (error: Problem) => error,
        );
        assert.equal(failure?.code, "query_failed");
        const whole = Buffer.concat(parts);
        assert.ok(whole.length > MIB);
        if (format === "arrow") assert.throws(() => tableFromIPC(whole).numRows);
        else assert.ok(!isParquet(whole));
      });

      test("the limit of bytes counts the sent bytes", async () => {
        await assert.rejects(ask(MANY, format, { rowsMax: 2_000_000 }), { code: "query_too_large" });
      });

      test("a row that is too long is refused", async () => {
        const sql =
          "SELECT concat_ws('', repeat('x', 10000)) AS a, string_agg(repeat('y', 10000), '') AS b FROM range(1700)";
        await assert.rejects(ask(sql, format), { code: "query_too_large" });
      });

      test("a slow reader pauses the query, and a reader that leaves ends it", async () => {
        const before = process.memoryUsage().rss;
        const { body } = await open.engine.query(request(MANY, { format, rowsMax: 2_000_000 }));
        await once(body, "readable");
        for (let i = 0; i < 10; i++) {
          body.read();
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
        assert.ok(process.memoryUsage().rss - before < 60 * MIB);
        body.destroy();
        await until(() => open.engine.running() === 0);
        assert.deepEqual(await rows(open.engine, "SELECT 1"), [[1]]);
      });
    });
  }
});
