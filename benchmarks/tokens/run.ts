import { requestBytes, runLoad, type LoadResult } from "../lib/load.ts";
import { startProduct } from "../lib/product.ts";
import { startScript } from "../lib/script.ts";
import { shown, spreadOf } from "../lib/statistics.ts";

// Measures tokens a second by the client credentials grant, beside oidc-provider with everything in memory (peer.ts).

const ROUNDS = 5;
const ROUND_MS = 4000;
const CONNECTIONS = 32;

async function load(port: number, path: string, form: Record<string, string>): Promise<LoadResult> {
  const body = Buffer.from(new URLSearchParams({ grant_type: "client_credentials", ...form }).toString());
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const request = requestBytes({ method: "POST", path, host: `127.0.0.1:${port}`, headers, body });
  const result = await runLoad({
    host: "127.0.0.1",
    port,
    requests: [request],
    connections: CONNECTIONS,
    durationMs: ROUND_MS,
  });
  if (Object.keys(result.statuses).join() !== "200")
    throw new Error(`${path} answered ${JSON.stringify(result.statuses)}`);
  return result;
}

const perSecond = (result: LoadResult): number => result.answered / (result.elapsedMs / 1000);

const peer = await startScript(new URL("peer.ts", import.meta.url));
const product = await startProduct();
try {
  const { credential } = await product.bootstrap("bench");
  const rates: { peer: number[]; ours: number[]; p99: number[] } = { peer: [], ours: [], p99: [] };
  for (let round = 0; round <= ROUNDS; round++) {
    const peerResult = await load(peer.port, "/token", {
      client_id: "bench",
      client_secret: "bench-secret-bench-secret-bench-secret-0123456789",
      scope: "telemetry:write",
    });
    const ourResult = await load(product.port, "/oauth/token", { ...credential, scope: "telemetry:write" });
    if (round === 0) continue; // warm-up
    rates.peer.push(perSecond(peerResult));
    rates.ours.push(perSecond(ourResult));
    rates.p99.push(ourResult.p99Ms);
  }
  const ratios = rates.ours.map((rate, i) => rate / (rates.peer[i] ?? Number.NaN));
  process.stdout.write(
    `tokens/s, ${CONNECTIONS} connections: oidc-provider ${shown(spreadOf(rates.peer))}; mooring ${shown(spreadOf(rates.ours))}; ` +
      `ratio ${shown(spreadOf(ratios), 2)}; p99 ${shown(spreadOf(rates.p99), 1)} ms\n`,
  );
} finally {
  peer.stop();
  await product.stop();
}
