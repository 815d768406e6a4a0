import type { Product } from "../lib/product.ts";
import { quantileOf } from "../lib/statistics.ts";

// Measures the latency of one credential, alone and beside another credential of the same organization that floods
// queries, ingestion and uploads. The places are kept apart, the processors are not.

const ROUNDS = 60;
const QUERY_CLIENTS = 12;
const OTHER_CLIENTS = 4;
const HEAVY = "SELECT sum(range % 7) AS n FROM range(30000000)";
const LIGHT = "SELECT count(*) AS n FROM logs";
const FILE_BYTES = 4 * 1024 * 1024;
const ENTRIES = 500;

type Act = "query" | "ingest" | "upload";
const ACTS: readonly Act[] = ["query", "ingest", "upload"];

async function send(product: Product, token: string, path: string, body: object): Promise<Response> {
  return fetch(`${product.url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

async function query(product: Product, token: string, sql: string): Promise<number> {
  const answer = await send(product, token, "/v1/query", { sql });
  await answer.arrayBuffer();
  return answer.status;
}

async function ingest(product: Product, token: string, count: number): Promise<number> {
  const timestamp = new Date().toISOString();
  const entries = Array.from({ length: count }, (_, i) => ({ timestamp, level: "info", message: `entry ${i}` }));
  const answer = await send(product, token, "/v1/ingest/logs", { entries });
  await answer.arrayBuffer();
  return answer.status;
}

async function upload(product: Product, token: string, bytes: number): Promise<number> {
  const type = "text/plain";
  const asked = await send(product, token, "/v1/upload", { filename: "a.txt", content_type: type });
  const { data } = (await asked.json()) as { data: { upload_url: string } };
  const answer = await fetch(data.upload_url, {
    method: "PUT",
    headers: { "content-type": type },
    body: "x".repeat(bytes),
  });
  await answer.arrayBuffer();
  return answer.status;
}

function lightly(product: Product, token: string, act: Act): Promise<number> {
  if (act === "query") return query(product, token, LIGHT);
  return act === "ingest" ? ingest(product, token, 10) : upload(product, token, 1000);
}

async function measure(product: Product, token: string): Promise<Record<Act, number[]>> {
  const figures: Record<Act, number[]> = { query: [], ingest: [], upload: [] };
  for (let round = 0; round < ROUNDS; round++)
    for (const act of ACTS) {
      const sent = performance.now();
      const status = await lightly(product, token, act);
      if (status >= 300) throw new Error(`${act} answered ${status}`);
      figures[act].push(performance.now() - sent);
    }
  return figures;
}

async function credentialOf(product: Product, maker: string, name: string): Promise<string> {
  const scopes = ["telemetry:read", "telemetry:write", "files:read", "files:write"];
  const answer = await send(product, maker, "/v1/credentials", { name, scopes });
  return product.token((await answer.json()) as { client_id: string; client_secret: string });
}

/** Prints the p95 of each act, alone and beside the flood, and the largest wait of the light queries. */
export async function measureActors(product: Product, maker: string): Promise<void> {
  const light = await credentialOf(product, maker, "light");
  const flood = await credentialOf(product, maker, "flood");
  await measure(product, light); // Starts the query process.
  const alone = await measure(product, light);
  let isOver = false;
  const counts: Record<Act, number> = { query: 0, ingest: 0, upload: 0 };
  const keepOn = async (act: Act, go: () => Promise<number>): Promise<void> => {
    while (!isOver) if ((await go()) < 300) counts[act] += 1;
  };
  const clients = [
    ...Array.from({ length: QUERY_CLIENTS }, () => keepOn("query", () => query(product, flood, HEAVY))),
    ...Array.from({ length: OTHER_CLIENTS }, () => keepOn("ingest", () => ingest(product, flood, ENTRIES))),
    ...Array.from({ length: OTHER_CLIENTS }, () => keepOn("upload", () => upload(product, flood, FILE_BYTES))),
  ];
  const beside = await measure(product, light);
  isOver = true;
  await Promise.all(clients);
  for (const act of ACTS) {
    const [before, after] = [quantileOf(alone[act], 0.95), quantileOf(beside[act], 0.95)];
    const ratio = (after / before).toFixed(1);
    process.stdout.write(`${act}: p95 alone ${before.toFixed(1)} ms, beside ${after.toFixed(1)} ms (${ratio} times)\n`);
  }
  const sql = "SELECT max(wait_ms) AS ms FROM query_log"; // an actor sees only own rows
  const { rows } = (await (await send(product, light, "/v1/query", { sql })).json()) as { rows: { ms: number }[] };
  process.stdout.write(`waits of the light queries for a place: at most ${rows[0]?.ms} ms\n`);
  process.stdout.write(`the flood meanwhile: ${ACTS.map((act) => `${act} ${counts[act]}`).join(", ")}\n`);
}
