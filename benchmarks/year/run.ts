import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startProduct, type Product } from "../lib/product.ts";
import { shown, spreadOf } from "../lib/statistics.ts";
import { makeYear } from "../../tests/fixtures/year.ts";

// Measures a query over the last hour of a year of files. It opens two or three of them.

const { values } = parseArgs({
  options: { files: { type: "string", default: "10000" }, rounds: { type: "string", default: "30" } },
});
const files = Number(values.files);
const rounds = Number(values.rounds);
const ROWS_PER_FILE = 50;
const HOUR_MS = 3_600_000;

interface Answer {
  readonly rows: readonly unknown[];
  readonly statistics: Readonly<Record<string, number>>;
}

const SELECT = "SELECT level, count(*) AS n FROM logs";
const hourAgo = (): string => new Date(Date.now() - HOUR_MS).toISOString();
const FORMS: Readonly<Record<string, () => object>> = {
  "from and to": () => ({ sql: `${SELECT} GROUP BY level`, from: hourAgo() }),
  "now() - INTERVAL": () => ({ sql: `${SELECT} WHERE timestamp > now() - INTERVAL 1 HOUR GROUP BY level` }),
  "a literal": () => ({ sql: `${SELECT} WHERE timestamp > '${hourAgo()}' GROUP BY level` }),
  "a parameter": () => ({ sql: `${SELECT} WHERE timestamp > $from GROUP BY level`, parameters: { from: hourAgo() } }),
  "by an attribute": () => ({
    sql: `SELECT attributes->>'path' AS path, count(*) AS n FROM logs WHERE timestamp > now() - INTERVAL 1 HOUR GROUP BY path`,
  }),
  "no table": () => ({ sql: "SELECT 1 AS one" }),
  "all files": () => ({ sql: `${SELECT} GROUP BY level` }),
};
/** Queries that open every file run less often. */
const SLOW: ReadonlySet<string> = new Set(["all files"]);

async function ask(product: Product, token: string, body: object): Promise<Answer> {
  const response = await fetch(`${product.url}/v1/query`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
  return (await response.json()) as Answer;
}

async function prepare(): Promise<{ dataDir: string; credential: { client_id: string; client_secret: string } }> {
  const dataDir = mkdtempSync(join(tmpdir(), "mooring-bench-year-"));
  const first = await startProduct({ dataDir, keepData: true });
  const { credential } = await first.bootstrap("bench");
  const token = await first.token(credential);
  const { organization } = (await (
    await fetch(`${first.url}/v1/me`, { headers: { authorization: `Bearer ${token}` } })
  ).json()) as { organization: { id: string } };
  await first.stop();
  const startedMs = performance.now();
  await makeYear({ dataDir, orgId: organization.id, files, rowsPerFile: ROWS_PER_FILE });
  process.stdout.write(`${files} files made in ${((performance.now() - startedMs) / 1000).toFixed(1)} s\n`);
  return { dataDir, credential };
}

const { dataDir, credential } = await prepare();
const product = await startProduct({ dataDir });
try {
  process.stdout.write(`ready with them in ${product.readyMs.toFixed(0)} ms\n`);
  const token = await product.token(credential);
  for (const [name, body] of Object.entries(FORMS)) {
    const times: number[] = [];
    let last: Answer | undefined;
    for (let round = -2; round < (SLOW.has(name) ? 3 : rounds); round++) {
      const startedMs = performance.now();
      last = await ask(product, token, body());
      if (round >= 0) times.push(performance.now() - startedMs);
      await new Promise((resolve) => setTimeout(resolve, 20)); // Waits as a person would. The server starts the next instance meanwhile.
    }
    const { files_scanned: scanned, files_total: total, elapsed_ms: elapsed } = last?.statistics ?? {};
    process.stdout.write(
      `${name}: ${shown(spreadOf(times), 1)} ms; last: ${elapsed} ms in its process, ${scanned} of ${total} files\n`,
    );
  }
} finally {
  await product.stop();
}
