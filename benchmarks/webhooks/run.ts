import { parseArgs } from "node:util";
import { startProduct } from "../lib/product.ts";
import { startScript } from "../lib/script.ts";
import { shown, spreadOf } from "../lib/statistics.ts";
import { deliverBacklog } from "./backlog.ts";
import { BODY_BYTES, CONNECTIONS, perSecond, sendEvents } from "./events.ts";

// Measures events of 2 KiB a second at 64 connections. The product writes them to disk before it answers. The floor is
// a server that appends bodies to a file, with one flush for all waiting requests (../ingest/floor.ts). Then delivers a
// backlog of such events to one destination while others arrive.

const ROUNDS = 3;
const ROUND_MS = 8000;
const FLAGS = [
  "--webhook-rate-limit-per-second",
  "1000000",
  "--webhook-rate-limit-burst",
  "10000000",
  "--webhooks-private-addresses",
  "allow",
];

const { values: options } = parseArgs({
  options: {
    rounds: { type: "string", default: String(ROUNDS) },
    backlog: { type: "string", default: "100000" },
  },
});

async function receive(rounds: number): Promise<string> {
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
    for (let round = 0; round <= rounds; round++) {
      const floorResult = await sendEvents(floor.port, "/", { durationMs: ROUND_MS });
      const ourResult = await sendEvents(product.port, path, { durationMs: ROUND_MS });
      if (round === 0) continue; // warm-up
      rates.floor.push(perSecond(floorResult));
      rates.ours.push(perSecond(ourResult));
      rates.p50.push(ourResult.p50Ms);
      rates.p99.push(ourResult.p99Ms);
    }
    const ratios = rates.ours.map((rate, i) => rate / (rates.floor[i] ?? Number.NaN));
    return (
      `events/s of ${BODY_BYTES} bytes, ${CONNECTIONS} connections: floor ${shown(spreadOf(rates.floor))}; mooring ${shown(spreadOf(rates.ours))}; ` +
      `ratio ${shown(spreadOf(ratios), 2)}; p50 ${shown(spreadOf(rates.p50), 1)} ms, p99 ${shown(spreadOf(rates.p99), 1)} ms\n`
    );
  } finally {
    floor.stop();
    await product.stop();
  }
}

if (Number(options.rounds) > 0) process.stdout.write(await receive(Number(options.rounds)));
if (Number(options.backlog) > 0) {
  const product = await startProduct({ flags: FLAGS });
  try {
    process.stdout.write(await deliverBacklog(product, Number(options.backlog)));
  } finally {
    await product.stop();
  }
}
