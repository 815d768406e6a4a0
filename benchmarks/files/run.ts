import { parseArgs } from "node:util";
import { startProduct, type Product } from "../lib/product.ts";
import { shown, spreadOf } from "../lib/statistics.ts";
import { beside } from "./beside.ts";
import { runClient, type ClientPlan } from "./client.ts";
import { listing } from "./listing.ts";
import { CONTENT_TYPE, downloads, grants, remove } from "./mooring.ts";
import { nginxBinary, startNginx, type Nginx } from "./nginx.ts";

// Measures the throughput of uploads and downloads, beside nginx in the same run: one large file, and many small ones.
// The product flushes a file to the disk before it answers a PUT; nginx flushes nothing. Then measures the latency of
// small requests beside large uploads, and of pages of a long list.

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    large: { type: "string", default: String(1024 ** 3) },
    small: { type: "string", default: "16384" },
    count: { type: "string", default: "10000" },
    listed: { type: "string", default: "1000000" },
  },
});
const ROUNDS = Number(values.rounds);
const CONNECTIONS = 16;

interface Side {
  put(count: number, bytes: number): Promise<{ readonly seconds: number; readonly grantSeconds: number }>;
  /** Gets the content that `put` stored. */
  get(bytes: number): Promise<number>;
  clear(): Promise<void>;
}

function planOf(
  at: { host: string; port: number },
  change: Pick<ClientPlan, "method" | "paths" | "bytes">,
): ClientPlan {
  const connections = Math.min(CONNECTIONS, change.paths.length);
  const headers: Record<string, string> = change.method === "PUT" ? { "content-type": CONTENT_TYPE } : {};
  return { host: at.host, port: at.port, connections, headers, ...change };
}

function ours(product: Product, token: string): Side {
  let stored: string[] = [];
  return {
    put: async (count, bytes) => {
      const { ids, paths, seconds: grantSeconds } = await grants(product, token, count, bytes);
      stored = ids;
      return { seconds: await runClient(planOf(product, { method: "PUT", paths, bytes })), grantSeconds };
    },
    get: async (bytes) => {
      const paths = await downloads(product, token, stored);
      return runClient(planOf(product, { method: "GET", paths, bytes }));
    },
    clear: () => remove(product, token, stored),
  };
}

function theirs(nginx: Nginx): Side {
  let stored: string[] = [];
  return {
    put: async (count, bytes) => {
      stored = Array.from({ length: count }, (_, n) => `/${n % 100}/${n}.bin`);
      return { seconds: await runClient(planOf(nginx, { method: "PUT", paths: stored, bytes })), grantSeconds: 0 };
    },
    get: (bytes) => runClient(planOf(nginx, { method: "GET", paths: stored, bytes })),
    clear: async () => {},
  };
}

interface Measured {
  readonly put: number[];
  readonly putWithGrant: number[];
  readonly get: number[];
}

async function compare(
  name: string,
  sides: readonly [string, Side][],
  work: { count: number; bytes: number; unit: string },
): Promise<void> {
  const found = sides.map((): Measured => ({ put: [], putWithGrant: [], get: [] }));
  const amount = work.count === 1 ? work.bytes / 2 ** 20 : work.count;
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [i, [, side]] of sides.entries()) {
      const { seconds, grantSeconds } = await side.put(work.count, work.bytes);
      const getSeconds = await side.get(work.bytes);
      await side.clear();
      if (round === 0) continue; // warm-up
      found[i]?.put.push(amount / seconds);
      found[i]?.putWithGrant.push(amount / (seconds + grantSeconds));
      found[i]?.get.push(amount / getSeconds);
    }
  }
  for (const [i, [side]] of sides.entries()) {
    const { put, putWithGrant, get } = found[i] ?? { put: [], putWithGrant: [], get: [] };
    const granted = i === 0 && work.count > 1 ? `, with its grant ${shown(spreadOf(putWithGrant))}` : "";
    process.stdout.write(
      `${name}, ${side}: PUT ${shown(spreadOf(put))} ${work.unit}${granted}; GET ${shown(spreadOf(get))} ${work.unit}\n`,
    );
  }
  const [a, b] = found;
  if (a === undefined || b === undefined) return;
  const ratio = (x: readonly number[], y: readonly number[]): string =>
    shown(spreadOf(x.map((figure, round) => figure / (y[round] ?? Number.NaN))), 2);
  process.stdout.write(`${name}, ratio to nginx: PUT ${ratio(a.put, b.put)}; GET ${ratio(a.get, b.get)}\n`);
}

const binary = nginxBinary();
if (binary === undefined) process.stdout.write("nginx is not installed: MOORING_BENCH_NGINX names its binary\n");
const product = await startProduct({ flags: ["--object-grace-ms", "1000", "--object-collect-ms", "500"] });
const nginx = binary === undefined ? undefined : await startNginx(binary);
try {
  const { credential } = await product.bootstrap("bench");
  const token = await product.token(credential);
  const sides: [string, Side][] = [["Mooring", ours(product, token)]];
  if (nginx !== undefined) sides.push(["nginx", theirs(nginx)]);
  const [large, small, count] = [Number(values.large), Number(values.small), Number(values.count)];
  await compare(`1 × ${large / 2 ** 20} MiB`, sides, { count: 1, bytes: large, unit: "MiB/s" });
  await compare(`${count} × ${small / 1024} KiB`, sides, { count, bytes: small, unit: "files/s" });
  await beside(product, token, Math.min(large, 256 * 2 ** 20));
} finally {
  await product.stop();
  await nginx?.stop();
}
await listing(Number(values.listed));
