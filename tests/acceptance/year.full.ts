/** A year of data: a query over the last hour opens the last hour's files, and costs little more than one that opens none. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { slowness } from "../fixtures/main-thread.ts";
import { startServer, type Server } from "../fixtures/server.ts";
import { makeYear } from "../fixtures/year.ts";

const FILES = 2000;
const ROUNDS = 15;
const HOUR_MS = 3_600_000;
/** The query over all files takes at least this many times as long. */
const ALL_FILES_FACTOR = 5;
/** The time to choose and open the files of the hour. Opening all of the year takes more than ten times as long. */
const OPENING_MS = 30;

interface Answer {
  readonly rows: readonly { readonly n: number }[];
  readonly statistics: { readonly files_scanned: number; readonly files_total: number };
}

const COUNT = "SELECT count(*) AS n FROM logs";

describe("a year of data", { timeout: 240_000 }, () => {
  let first: Server;
  let server: Server;
  let token: string;

  before(async () => {
    first = await startServer({ database: "sqlite" });
    const { credential, org } = await first.bootstrap();
    await first.stop();
    await makeYear({ dataDir: first.dataDir, orgId: org.id, files: FILES, rowsPerFile: 10 });
    server = await startServer({ database: "sqlite", dataDir: first.dataDir });
    token = await server.token(credential);
  });
  after(async () => {
    await server.dispose();
    await first.dispose();
  });

  async function ask(body: object): Promise<Answer> {
    const { status, body: answer, text } = await server.call<Answer>("POST", "/v1/query", { token, json: body });
    assert.equal(status, 200, text);
    return answer;
  }

  async function timeMs(body: object): Promise<number> {
    const startedMs = performance.now();
    await ask(body);
    return performance.now() - startedMs;
  }

  /** Asks in turn, and returns the shortest times, which other work on the machine affects least. */
  async function leastMs(one: () => object, other: () => object): Promise<[number, number]> {
    const least: [number, number] = [Infinity, Infinity];
    for (let round = 0; round < ROUNDS; round++) {
      least[0] = Math.min(least[0], await timeMs(one()));
      least[1] = Math.min(least[1], await timeMs(other()));
    }
    return least;
  }

  const hourAgo = (): string => new Date(Date.now() - HOUR_MS).toISOString();
  const FORMS: Readonly<Record<string, () => object>> = {
    "from and to": () => ({ sql: COUNT, from: hourAgo() }),
    "now() - INTERVAL": () => ({ sql: `${COUNT} WHERE timestamp > now() - INTERVAL 1 HOUR` }),
    "a literal": () => ({ sql: `${COUNT} WHERE timestamp > '${hourAgo()}'` }),
    "a parameter": () => ({ sql: `${COUNT} WHERE timestamp > $from`, parameters: { from: hourAgo() } }),
  };

  for (const [name, body] of Object.entries(FORMS)) {
    test(`the last hour by ${name}`, async (t) => {
      const { rows, statistics } = await ask(body());
      assert.equal(statistics.files_total, FILES);
      assert.ok(statistics.files_scanned <= 2, `${statistics.files_scanned} files were opened`);
      assert.ok((rows[0]?.n ?? 0) <= 10);
      const [none, hour] = await leastMs(() => ({ sql: "SELECT 1 AS n" }), body);
      const year = await timeMs({ sql: COUNT, timeout_ms: 60_000 });
      t.diagnostic(`${hour.toFixed(1)} ms beside ${none.toFixed(1)} ms without a file, ${year.toFixed(1)} ms with all`);
      assert.ok(hour < year / ALL_FILES_FACTOR, `${hour} ms beside ${year} ms with all files`);
      assert.ok(hour < 3 * none + OPENING_MS * slowness(), `${hour} ms beside ${none} ms without a file`);
    });
  }

  test("every file is there", async () => {
    const { rows, statistics } = await ask({ sql: COUNT, timeout_ms: 60_000 });
    assert.deepEqual([rows[0]?.n, statistics.files_scanned], [FILES * 10, FILES]);
  });
});
