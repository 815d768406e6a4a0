import { requestBytes, runLoad, type LoadResult } from "../lib/load.ts";
import { startProduct } from "../lib/product.ts";
import { startScript } from "../lib/script.ts";
import { shown, spreadOf } from "../lib/statistics.ts";
import { logBody } from "./entries.ts";

// Compares the ingest rate with the floor (floor.ts), which does not validate or encode entries. The same process loads
// both in turn, in one run, on the same two cores.

const ROUNDS = 5;
const ROUND_MS = 5000;
const SETTINGS = [
  { entries: 1000, connections: 16 },
  { entries: 100, connections: 64 },
  { entries: 1, connections: 64 },
];

function requestsFor(host: string, token: string, entries: number): Buffer[] {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  return Array.from({ length: 16 }, (_, i) =>
    requestBytes({ method: "POST", path: "/v1/ingest/logs", host, headers, body: logBody(entries, i) }),
  );
}

function entriesPerSecond(result: LoadResult, entries: number): number {
  const refused = Object.keys(result.statuses).filter((status) => status !== "202");
  if (refused.length > 0) throw new Error(`answers other than 202: ${JSON.stringify(result.statuses)}`);
  return (result.answered * entries) / (result.elapsedMs / 1000);
}

const floor = await startScript(new URL("floor.ts", import.meta.url));
const product = await startProduct();
try {
  const { credential } = await product.bootstrap("bench");
  const token = await product.token(credential);
  for (const { entries, connections } of SETTINGS) {
    const rates: { floor: number[]; ours: number[]; p99: number[] } = { floor: [], ours: [], p99: [] };
    const load = async (port: number): Promise<LoadResult> =>
      runLoad({
        host: "127.0.0.1",
        port,
        requests: requestsFor(`127.0.0.1:${port}`, token, entries),
        connections,
        durationMs: ROUND_MS,
      });
    for (let round = 0; round <= ROUNDS; round++) {
      const floorResult = await load(floor.port);
      const ourResult = await load(product.port);
      if (round === 0) continue; // warm-up
      rates.floor.push(entriesPerSecond(floorResult, entries));
      rates.ours.push(entriesPerSecond(ourResult, entries));
      rates.p99.push(ourResult.p99Ms);
    }
    const ratios = rates.ours.map((rate, i) => rate / (rates.floor[i] ?? Number.NaN));
    process.stdout.write(
      `${entries} entries a batch, ${connections} connections, entries/s: floor ${shown(spreadOf(rates.floor))}; ` +
        `mooring ${shown(spreadOf(rates.ours))}; ratio ${shown(spreadOf(ratios), 2)}; p99 ${shown(spreadOf(rates.p99), 1)} ms\n`,
    );
  }
} finally {
  floor.stop();
  await product.stop();
}
