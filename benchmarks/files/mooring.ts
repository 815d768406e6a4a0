import type { Product } from "../lib/product.ts";

export const CONTENT_TYPE = "application/octet-stream";
const CONNECTIONS = 16;

/** Gets `count` grants. Returns them with the seconds that this took. */
export async function grants(
  product: Product,
  token: string,
  count: number,
  bytes: number,
): Promise<{ readonly ids: string[]; readonly paths: string[]; readonly seconds: number }> {
  const body = JSON.stringify({ filename: "bench.bin", content_type: CONTENT_TYPE, size_bytes: bytes });
  const found = await repeat(count, () => call(product, token, "/v1/upload", body));
  const data = found.answers as { file_id: string; upload_url: string }[];
  return {
    ids: data.map((one) => one.file_id),
    paths: data.map((one) => pathOf(one.upload_url)),
    seconds: found.seconds,
  };
}

/** Returns paths to download files from. */
export async function downloads(product: Product, token: string, ids: readonly string[]): Promise<string[]> {
  const waiting = [...ids];
  const found = await repeat(ids.length, () => call(product, token, `/v1/files/${waiting.pop()}/download`));
  return (found.answers as { download_url: string }[]).map((one) => pathOf(one.download_url));
}

export async function remove(product: Product, token: string, ids: readonly string[]): Promise<void> {
  const waiting = [...ids];
  const headers = { authorization: `Bearer ${token}` };
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      for (let id = waiting.pop(); id !== undefined; id = waiting.pop())
        await fetch(`${product.url}/v1/files/${id}`, { method: "DELETE", headers });
    }),
  );
}

async function repeat(count: number, ask: () => Promise<unknown>): Promise<{ answers: unknown[]; seconds: number }> {
  const answers: unknown[] = [];
  let left = count;
  const started = performance.now();
  const work = async (): Promise<void> => {
    while (left-- > 0) answers.push(await ask());
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, work));
  return { answers, seconds: (performance.now() - started) / 1000 };
}

async function call(product: Product, token: string, path: string, body?: string): Promise<unknown> {
  const headers = {
    authorization: `Bearer ${token}`,
    ...(body === undefined ? {} : { "content-type": "application/json" }),
  };
  const init = body === undefined ? { headers } : { method: "POST", headers, body };
  const response = await fetch(product.url + path, init);
  const text = await response.text();
  if (!response.ok) throw new Error(`${path} was answered with ${response.status}: ${text}`);
  return (JSON.parse(text) as { data: unknown }).data;
}

function pathOf(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
}
