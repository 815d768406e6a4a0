import { logBody } from "../ingest/entries.ts";
import { requestBytes, runLoad, type LoadResult } from "../lib/load.ts";
import type { Bootstrapped, Product } from "../lib/product.ts";
import { shown, spreadOf } from "../lib/statistics.ts";
import { contentOf, pushBlob, type Content, type Target } from "./target.ts";

const ROUNDS = 5;
const ROUND_MS = 4000;
const LAYER_BYTES = 500 * 1024 * 1024;
/** More layers than one round pushes. */
const LAYERS = 8;
const PER_SECOND = 100;
const CONNECTIONS = 8;

/**
 * Measures the p99 latency of requests for tokens and ingest, alone and while large layers are pushed one after the
 * other, in turn. The pushing client and the registry share cores and disk with the server. Pushes to a peer on the
 * same machine show how much of the difference that explains.
 */
export async function beside(
  product: Product,
  credential: Bootstrapped["credential"],
  targets: readonly Target[],
): Promise<void> {
  const accessToken = await product.token(credential);
  const requests = { tokens: tokenRequest(product, credential), ingest: ingestRequests(product, accessToken) };
  const waits = new Map<string, number[]>();
  for (let round = 0; round <= ROUNDS; round++) {
    for (const target of [null, ...targets]) {
      const layers = target === null ? [] : Array.from({ length: LAYERS }, () => contentOf(LAYER_BYTES));
      const loads = Promise.all(
        Object.entries(requests).map(async ([name, list]) => [name, await load(product, list)] as const),
      );
      if (target !== null) await pushUntil(target, layers, loads);
      if (round === 0) continue; // warm-up
      for (const [name, { p99Ms }] of await loads) {
        const key = `${name} ${target?.name ?? "alone"}`;
        waits.set(key, [...(waits.get(key) ?? []), p99Ms]);
      }
    }
  }
  for (const name of Object.keys(requests)) {
    const alone = spreadOf(waits.get(`${name} alone`) ?? []);
    const pushed = targets.map((target) => {
      const spread = spreadOf(waits.get(`${name} ${target.name}`) ?? []);
      return `beside pushes of 500 MiB to ${target.name} ${shown(spread, 1)} ms, ${(spread.median / alone.median).toFixed(2)} times that`;
    });
    process.stdout.write(`${name}, ${PER_SECOND}/s: 99 % within ${shown(alone, 1)} ms; ${pushed.join("; ")}\n`);
  }
}

async function load({ host, port }: Product, requests: readonly Buffer[]): Promise<LoadResult> {
  const plan = { host, port, requests, connections: CONNECTIONS, durationMs: ROUND_MS, perSecond: PER_SECOND };
  const result = await runLoad(plan);
  const refused = Object.keys(result.statuses).filter((status) => !status.startsWith("2"));
  if (refused.length > 0) throw new Error(`answers: ${JSON.stringify(result.statuses)}`);
  return result;
}

async function pushUntil(target: Target, layers: readonly Content[], end: Promise<unknown>): Promise<void> {
  let isOver = false;
  const over = end.finally(() => (isOver = true));
  for (const layer of layers) if (!isOver) await pushBlob(target, layer);
  await over;
}

function tokenRequest({ host, port }: Product, credential: Bootstrapped["credential"]): Buffer[] {
  const form = new URLSearchParams({ grant_type: "client_credentials", ...credential });
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const body = Buffer.from(form.toString());
  return [requestBytes({ method: "POST", path: "/oauth/token", host: `${host}:${port}`, headers, body })];
}

function ingestRequests({ host, port }: Product, accessToken: string): Buffer[] {
  const headers = { authorization: `Bearer ${accessToken}`, "content-type": "application/json" };
  return Array.from({ length: 16 }, (_, i) =>
    requestBytes({ method: "POST", path: "/v1/ingest/logs", host: `${host}:${port}`, headers, body: logBody(100, i) }),
  );
}
