import { startProduct, type Product } from "../lib/product.ts";
import { quantileOf } from "../lib/statistics.ts";

// Measures the time from a 202 to the row in a query's answer. The first query that starts after the 202 must return
// the row; otherwise the run fails.

const ROUNDS = 200;

async function post(product: Product, path: string, token: string, body: unknown): Promise<Response> {
  return fetch(product.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

const product = await startProduct();
try {
  const { credential } = await product.bootstrap("bench");
  const token = await product.token(credential);
  const ingestMs: number[] = [];
  const queryMs: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const message = `round ${round}`;
    const sent = performance.now();
    const taken = await post(product, "/v1/ingest/logs", token, {
      entries: [{ timestamp: new Date().toISOString(), level: "info", message }],
    });
    if (taken.status !== 202) throw new Error(`ingest answered ${taken.status}: ${await taken.text()}`);
    await taken.arrayBuffer();
    const acknowledged = performance.now();
    const found = await post(product, "/v1/query", token, {
      sql: "select count(*) as n from logs where message = $m",
      parameters: { m: message },
    });
    const { rows } = (await found.json()) as { rows: { n: number }[] };
    if (rows[0]?.n !== 1) throw new Error(`round ${round}: the acknowledged row was not in the answer`);
    ingestMs.push(acknowledged - sent);
    queryMs.push(performance.now() - acknowledged);
  }
  for (const [name, figures] of [
    ["request to 202", ingestMs],
    ["202 to the row in a query's answer", queryMs],
  ] as const) {
    process.stdout.write(
      `${name}: p50 ${quantileOf(figures, 0.5).toFixed(1)} ms, p99 ${quantileOf(figures, 0.99).toFixed(1)} ms\n`,
    );
  }
} finally {
  await product.stop();
}
