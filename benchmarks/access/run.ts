import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { requestBytes, runLoad } from "../lib/load.ts";
import { startProduct, type Bootstrapped, type Product } from "../lib/product.ts";
import { shown, spreadOf } from "../lib/statistics.ts";
import { signedBytes, type Access } from "../s3/sign.ts";

// Measures requests a second, and the CPU time of a request in the server's main process, with the access log off and on
// for everything. Rounds take turns, so that the load of the machine affects both. Compaction and the moves of rows run all the time.

const { values } = parseArgs({
  options: { pairs: { type: "string" }, seconds: { type: "string" }, connections: { type: "string" } },
  strict: false,
});
const PAIRS = Number(values["pairs"] ?? 10);
const SECONDS = Number(values["seconds"] ?? 2);
const CONNECTIONS = Number(values["connections"] ?? 16);
const CONTENT = Buffer.alloc(4096, "content ");

interface Load {
  readonly host: string;
  readonly port: number;
  readonly requests: readonly Buffer[];
}

async function json<T>(product: Product, method: string, path: string, token: string, body?: object): Promise<T> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const answer = await fetch(product.url + path, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return JSON.parse(text) as T;
}

async function push(product: Product, home: Bootstrapped, content: Buffer): Promise<{ digest: string; token: string }> {
  const basic = Buffer.from(`${home.credential.client_id}:${home.credential.client_secret}`).toString("base64");
  const address = `${product.url}/v2/token?service=x&scope=repository:orgs/bench/bench-app:pull,push`;
  const answer = await fetch(address, { headers: { authorization: `Basic ${basic}` } });
  const { token } = (await answer.json()) as { token: string };
  const digest = `sha256:${createHash("sha256").update(content).digest("hex")}`;
  const target = `${product.url}/v2/orgs/bench/bench-app/blobs/uploads/?digest=${digest}`;
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/octet-stream" };
  const pushed = await fetch(target, { method: "POST", headers, body: new Uint8Array(content) });
  if (pushed.status !== 201) throw new Error(`the push was answered with ${pushed.status}`);
  return { digest, token };
}

async function uploadedFile(product: Product, token: string): Promise<string> {
  const file = { filename: "bench.txt", content_type: "text/plain" };
  const grant = await json<{ data: { upload_url: string; file_id: string } }>(
    product,
    "POST",
    "/v1/upload",
    token,
    file,
  );
  const headers = { "content-type": "text/plain" };
  const put = await fetch(grant.data.upload_url, { method: "PUT", headers, body: new Uint8Array(CONTENT) });
  if (put.status !== 200) throw new Error(`the upload was answered with ${put.status}`);
  const path = `/v1/files/${grant.data.file_id}/download`;
  const { pathname, search } = new URL(
    (await json<{ data: { download_url: string } }>(product, "GET", path, token)).data.download_url,
  );
  return pathname + search;
}

async function loadsOf(product: Product, home: Bootstrapped, token: string): Promise<Record<string, Load>> {
  const { host, port } = product;
  const request = (method: string, path: string, body: object | null, by = token): Load => {
    const headers = { authorization: `Bearer ${by}`, "content-type": "application/json" };
    const content = body === null ? Buffer.alloc(0) : Buffer.from(JSON.stringify(body));
    return { host, port, requests: [requestBytes({ method, path, host, headers, body: content })] };
  };
  const addresses = (await (await fetch(`${product.url}/.well-known/mooring`)).json()) as { s3_endpoint: string };
  const url = new URL(addresses.s3_endpoint);
  const access: Access = {
    host: url.hostname,
    port: Number(url.port),
    region: home.s3.region,
    accessKeyId: home.s3.access_key_id,
    secretAccessKey: home.s3.secret_access_key,
  };
  const s3 = (requests: Buffer[]): Load => ({ host: url.hostname, port: Number(url.port), requests });
  const puts = Array.from({ length: 200 }, (_, n) =>
    signedBytes(access, { method: "PUT", path: `/${home.s3.bucket}/k${n}`, body: CONTENT }),
  );
  const image = await push(product, home, CONTENT);
  const entries = Array.from({ length: 100 }, (_, n) => ({
    timestamp: new Date().toISOString(),
    level: "info",
    message: `entry ${n}`,
  }));
  const download = await uploadedFile(product, token);
  return {
    "small request (a list of one file)": request("GET", "/v1/files/names?limit=1", null),
    "request without a row (GET /v1/me)": request("GET", "/v1/me", null),
    "file, 4 KiB": request("GET", download, null),
    "S3 PUT, 4 KiB": s3(puts),
    "S3 GET, 4 KiB": s3([signedBytes(access, { method: "GET", path: `/${home.s3.bucket}/k0` })]),
    "registry blob, 4 KiB": request("GET", `/v2/orgs/bench/bench-app/blobs/${image.digest}`, null, image.token),
    query: request("POST", "/v1/query", { sql: "SELECT count(*) FROM logs" }),
    "ingest, 100 entries": request("POST", "/v1/ingest/logs", { entries }),
  };
}

/** Returns the CPU time of a process in microseconds (Linux). Its children do not count. */
function cpuOf(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  // The first number is the time on a processor in nanoseconds.
  const times = threads.map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]),
  );
  return times.reduce((sum, time) => sum + time, 0) / 1000;
}

interface Figures {
  readonly perSecond: number;
  readonly cpuUs: number;
}

async function measure(product: Product, load: Load, seconds: number): Promise<Figures> {
  const pid = product.process.pid ?? 0;
  const before = cpuOf(pid);
  const { answered, elapsedMs, statuses } = await runLoad({
    ...load,
    connections: CONNECTIONS,
    durationMs: seconds * 1000,
  });
  if (Object.keys(statuses).some((status) => !status.startsWith("2"))) throw new Error(JSON.stringify(statuses));
  return { perSecond: (answered * 1000) / elapsedMs, cpuUs: (cpuOf(pid) - before) / answered };
}

const product = await startProduct({
  flags: ["--compaction-interval-ms", "1000", "--query-concurrency-organization", "8"],
});
try {
  const home = await product.bootstrap("bench");
  const token = await product.token(home.credential);
  const setMode = (mode: string) => json(product, "PATCH", "/v1/access-log/settings", token, { mode });
  for (const [name, load] of Object.entries(await loadsOf(product, home, token))) {
    await measure(product, load, 1); // warm-up
    const ratios: { perSecond: number[]; cpuUs: number[] } = { perSecond: [], cpuUs: [] };
    const figures: { off: Figures[]; on: Figures[] } = { off: [], on: [] };
    for (let pair = 0; pair < PAIRS; pair++) {
      const found: Partial<Record<"off" | "all", Figures>> = {};
      for (const mode of pair % 2 === 0 ? (["off", "all"] as const) : (["all", "off"] as const)) {
        await setMode(mode);
        found[mode] = await measure(product, load, SECONDS);
      }
      const { off, all: on } = found;
      if (off === undefined || on === undefined) throw new Error("a pair has two figures");
      figures.off.push(off);
      figures.on.push(on);
      ratios.perSecond.push(on.perSecond / off.perSecond);
      ratios.cpuUs.push(on.cpuUs / off.cpuUs);
    }
    const of = (mode: "off" | "on", what: keyof Figures): string =>
      shown(spreadOf(figures[mode].map((each) => each[what])));
    process.stdout.write(
      `${name}: requests a second off ${of("off", "perSecond")}, on ${of("on", "perSecond")}, ratio ${shown(spreadOf(ratios.perSecond), 3)}; CPU µs off ${of("off", "cpuUs")}, on ${of("on", "cpuUs")}, ratio ${shown(spreadOf(ratios.cpuUs), 3)}\n`,
    );
  }
} finally {
  await product.stop();
}
