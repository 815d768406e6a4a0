import { createHash } from "node:crypto";
import type { Product } from "../lib/product.ts";
import { quantileOf } from "../lib/statistics.ts";
import { runClient } from "./client.ts";
import { CONTENT_TYPE, grants, remove } from "./mooring.ts";

const UPLOADS = 4;
const PAUSE_MS = 5;

/** Measures the latency of a small request while large uploads arrive. The same thread computes the digests of the uploads. */
export async function beside(product: Product, token: string, bytes: number): Promise<void> {
  const md5 = createHash("md5");
  const block = Buffer.alloc(1024 * 1024);
  for (let left = bytes; left > 0; left -= block.length)
    md5.update(left < block.length ? block.subarray(0, left) : block);
  const cases = [
    ["nothing else", null],
    [`${UPLOADS} uploads, SHA-256`, {}],
    [`${UPLOADS} uploads, SHA-256 and MD5`, { "content-md5": md5.digest("base64") }],
  ] as const;
  for (const [name, headers] of cases) {
    const waits = await waitsWhile(product, headers === null ? idle() : uploads(product, token, bytes, headers));
    const [half, most] = [quantileOf(waits, 0.5), quantileOf(waits, 0.99)];
    process.stdout.write(`/livez beside ${name}: median ${half.toFixed(1)} ms, 99 % within ${most.toFixed(1)} ms\n`);
  }
}

async function waitsWhile(product: Product, work: Promise<void>): Promise<number[]> {
  const waits: number[] = [];
  let done = false;
  const ended = work.finally(() => (done = true));
  while (!done) {
    const began = performance.now();
    await (await fetch(`${product.url}/livez`)).text();
    waits.push(performance.now() - began);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  await ended;
  return waits;
}

async function idle(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 3000));
}

async function uploads(
  product: Product,
  token: string,
  bytes: number,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  const { ids, paths } = await grants(product, token, UPLOADS, bytes);
  const { host, port } = product;
  const all = { "content-type": CONTENT_TYPE, ...headers };
  await runClient({ host, port, method: "PUT", paths, bytes, connections: UPLOADS, headers: all });
  await remove(product, token, ids);
}
