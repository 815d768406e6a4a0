import { measureActors } from "./actors.ts";
import { startProduct, type Product } from "../lib/product.ts";
import { quantileOf } from "../lib/statistics.ts";

// Measures the query latency of an organization with few queries, alone and beside two organizations with more queries
// than they may run at once. The server keeps one slot for the first organization, but no cores.

const ROUNDS = 60;
const CLIENTS = 12;
const HEAVY = "SELECT sum(range % 7) AS n FROM range(30000000)";
const LIGHT = "SELECT count(*) AS n FROM logs";

async function ask(product: Product, token: string, sql: string): Promise<number> {
  const answer = await fetch(`${product.url}/v1/query`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ sql }),
  });
  await answer.arrayBuffer();
  return answer.status;
}

async function tokenOf(product: Product, organization: string): Promise<string> {
  const { credential } = await product.bootstrap(organization);
  return product.token(credential);
}

async function measure(product: Product, token: string): Promise<number[]> {
  const figures: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const sent = performance.now();
    const status = await ask(product, token, LIGHT);
    if (status !== 200) throw new Error(`the light query answered ${status}`);
    figures.push(performance.now() - sent);
  }
  return figures;
}

function report(name: string, figures: readonly number[]): void {
  const [p50, p95] = [quantileOf(figures, 0.5), quantileOf(figures, 0.95)];
  process.stdout.write(`${name}: p50 ${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms\n`);
}

const product = await startProduct();
try {
  const light = await tokenOf(product, "light");
  const heavy = await Promise.all(["heavy-1", "heavy-2"].map((name) => tokenOf(product, name)));
  await measure(product, light); // Starts the query process.
  report("light query alone", await measure(product, light));
  let isOver = false;
  let heavyDone = 0;
  const clients = heavy.flatMap((token) =>
    Array.from({ length: CLIENTS }, async () => {
      while (!isOver) if ((await ask(product, token, HEAVY)) === 200) heavyDone += 1;
    }),
  );
  report(`beside ${2 * CLIENTS} clients of two heavy organizations`, await measure(product, light));
  isOver = true;
  await Promise.all(clients);
  process.stdout.write(`heavy queries that ended meanwhile: ${heavyDone}\n`);
  process.stdout.write("beside a flood of another credential of the same organization:\n");
  await measureActors(product, light);
} finally {
  await product.stop();
}
