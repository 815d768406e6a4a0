import { requestBytes, runLoad, type LoadResult } from "../lib/load.ts";
import { startProduct } from "../lib/product.ts";
import { startScript } from "../lib/script.ts";
import { shown, spreadOf } from "../lib/statistics.ts";

// Events of 2 KiB a second that are on disk before they are answered, at 64 connections, beside the least that does the same:
// a server that appends bodies to a file, with one flush for all that wait (../ingest/floor.ts).

const ROUNDS = 3;
const ROUND_MS = 8000;
const CONNECTIONS = 64;
const BODY_BYTES = 2048;
const FLAGS = ["--webhook-rate-limit-per-second", "1000000", "--webhook-rate-limit-burst", "10000000"];

function event(): Buffer {
  const head = JSON.stringify({
    type: "order.paid",
    id: 4711,
    entries: [],
    customer: { name: "Ada", country: "GB" },
  }).slice(0, -1);
  const rest = `,"note":"`;
  return Buffer.from(`${head}${rest}${"x".repeat(BODY_BYTES - head.length - rest.length - 2)}"}`);
}

async function load(port: number, path: string): Promise<LoadResult> {
  const headers = { "content-type": "application/json", "user-agent": "bench" };
  const request = requestBytes({ method: "POST", path, host: `127.0.0.1:${port}`, headers, body: event() });
  const plan = { host: "127.0.0.1", port, requests: [request], connections: CONNECTIONS, durationMs: ROUND_MS };
  const result = await runLoad(plan);
  if (Object.keys(result.statuses).join() !== "202") throw new Error(JSON.stringify(result.statuses));
  return result;
}

const perSecond = (result: LoadResult): number => result.answered / (result.elapsedMs / 1000);

const floor = await startScript(new URL("../ingest/floor.ts", import.meta.url));
const product = await startProduct({ flags: FLAGS });
try {
  const { webhook } = await product.bootstrap("bench");
  const path = new URL(webhook.url).pathname;
  const rates: { floor: number[]; ours: number[]; p50: number[]; p99: number[] } = {
    floor: [],
    ours: [],
    p50: [],
    p99: [],
  };
  for (let round = 0; round <= ROUNDS; round++) {
    const floorResult = await load(floor.port, "/");
    const ourResult = await load(product.port, path);
    if (round === 0) continue; // warm-up
    rates.floor.push(perSecond(floorResult));
    rates.ours.push(perSecond(ourResult));
    rates.p50.push(ourResult.p50Ms);
    rates.p99.push(ourResult.p99Ms);
  }
  const ratios = rates.ours.map((rate, i) => rate / (rates.floor[i] ?? Number.NaN));
  process.stdout.write(
    `events/s of ${BODY_BYTES} bytes, ${CONNECTIONS} connections: floor ${shown(spreadOf(rates.floor))}; mooring ${shown(spreadOf(rates.ours))}; ` +
      `ratio ${shown(spreadOf(ratios), 2)}; p50 ${shown(spreadOf(rates.p50), 1)} ms, p99 ${shown(spreadOf(rates.p99), 1)} ms\n`,
  );
} finally {
  floor.stop();
  await product.stop();
}
