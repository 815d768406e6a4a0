import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { requestBytes, runLoad } from "../lib/load.ts";
import { startProduct, type Product } from "../lib/product.ts";
import { quantileOf, shown, spreadOf } from "../lib/statistics.ts";
import { logBody } from "../ingest/entries.ts";

// Measures how much live tails cost senders: the same load with none, one and fifty tails, which show everything or
// nothing. Then measures the time from a 202 to the entry in a tail, on a server with little load.

const ROUNDS = 5;
const ROUND_MS = 4000;
const BATCH = 1000;
const CONNECTIONS = 16;
const LATENCY_ROUNDS = 300;
const CASES = [
  { name: "no tail", count: 0, search: "" },
  { name: "1 tail", count: 1, search: "" },
  { name: "1 tail that shows nothing", count: 1, search: "?level=fatal&service=none" },
  { name: "50 tails", count: 50, search: "" },
  { name: "50 tails that show nothing", count: 50, search: "?level=fatal&service=none" },
];

async function withReaders<T>(product: Product, token: string, which: (typeof CASES)[number], run: () => Promise<T>) {
  if (which.count === 0) return { result: await run(), bytes: 0 };
  const args = [product.host, String(product.port), token, String(which.count), which.search];
  const readers: ChildProcess = fork(new URL("readers.ts", import.meta.url), args);
  await once(readers, "message");
  const result = await run();
  readers.send("count");
  const [{ bytes }] = (await once(readers, "message")) as [{ bytes: number }];
  readers.kill();
  await once(readers, "exit");
  return { result, bytes };
}

async function load(product: Product, token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const requests = Array.from({ length: 16 }, (_, i) =>
    requestBytes({ method: "POST", path: "/v1/ingest/logs", host: product.host, headers, body: logBody(BATCH, i) }),
  );
  const { host, port } = product;
  const result = await runLoad({ host, port, requests, connections: CONNECTIONS, durationMs: ROUND_MS });
  const refused = Object.keys(result.statuses).filter((status) => status !== "202");
  if (refused.length > 0) throw new Error(`answers other than 202: ${JSON.stringify(result.statuses)}`);
  return (result.answered * BATCH) / (result.elapsedMs / 1000);
}

async function rates(product: Product, token: string): Promise<void> {
  const found = CASES.map(() => ({ rates: [] as number[], mebibytes: [] as number[] }));
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [i, which] of CASES.entries()) {
      const { result, bytes } = await withReaders(product, token, which, () => load(product, token));
      if (round === 0) continue; // warm-up
      found[i]?.rates.push(result);
      found[i]?.mebibytes.push(bytes / 2 ** 20 / (ROUND_MS / 1000));
    }
  }
  const alone = found[0]?.rates ?? [];
  for (const [i, { name }] of CASES.entries()) {
    const of = found[i] ?? { rates: [], mebibytes: [] };
    const ratios = of.rates.map((rate, round) => rate / (alone[round] ?? Number.NaN));
    process.stdout.write(
      `${name}: ${shown(spreadOf(of.rates))} entries/s; ratio ${shown(spreadOf(ratios), 2)}; ` +
        `shown ${shown(spreadOf(of.mebibytes), 1)} MiB/s\n`,
    );
  }
}

/** Measures the time from the end of the 202 to the event. The event may arrive before the 202. */
async function latency(product: Product, token: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}` };
  const controller = new AbortController();
  const response = await fetch(`${product.url}/v1/tail/logs`, { headers, signal: controller.signal });
  const seen = new Map<number, (at: number) => void>();
  const reading = (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
      for (const [, n] of decoder.decode(chunk).matchAll(/"message":"entry (\d+)"/g))
        seen.get(Number(n))?.(performance.now());
    }
  })().catch(() => undefined);
  const figures: number[] = [];
  for (let n = 0; n < LATENCY_ROUNDS; n++) {
    const shownAt = new Promise<number>((resolve) => seen.set(n, resolve));
    const entry = { timestamp: "2026-11-20T08:00:00Z", level: "info", message: `entry ${n}` };
    const answer = await fetch(`${product.url}/v1/ingest/logs`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify({ entries: [entry] }),
    });
    await answer.arrayBuffer();
    const acknowledgedAt = performance.now();
    figures.push((await shownAt) - acknowledgedAt);
  }
  controller.abort();
  await reading;
  process.stdout.write(
    `202 to the event: p50 ${quantileOf(figures, 0.5).toFixed(1)} ms, p99 ${quantileOf(figures, 0.99).toFixed(1)} ms\n`,
  );
}

const product = await startProduct();
try {
  const { credential } = await product.bootstrap("bench");
  const token = await product.token(credential);
  await latency(product, token);
  await rates(product, token);
} finally {
  await product.stop();
}
