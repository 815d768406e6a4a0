import { drive } from "../lib/connection.ts";
import { requestOk } from "./request.ts";
import type { S3Server } from "./servers.ts";
import { signedBytes } from "./sign.ts";

const PREFIXES = 1000;
const CLIENTS = 32;

/** Puts `keys` empty objects under 1,000 common prefixes. @returns objects a second */
export async function fill({ access, bucket }: S3Server, keys: number): Promise<number> {
  const body = Buffer.alloc(0);
  const started = performance.now();
  let next = 0;
  const take = (): Buffer | null => {
    const n = next++;
    const path = `/${bucket}/list/${String(n % PREFIXES).padStart(3, "0")}/${String(Math.floor(n / PREFIXES)).padStart(6, "0")}`;
    return n < keys ? signedBytes(access, { method: "PUT", path, body }) : null;
  };
  const note = ({ status }: { status: string }): void => {
    if (status !== "200") throw new Error(`a PUT was answered ${status}`);
  };
  await Promise.all(Array.from({ length: CLIENTS }, () => drive(access, take, note)));
  return keys / ((performance.now() - started) / 1000);
}

/** Lists one page of all 1,000 common prefixes. @returns milliseconds */
export async function listPrefixes({ access, bucket }: S3Server): Promise<number> {
  const query = { "list-type": "2", prefix: "list/", delimiter: "/" };
  const started = performance.now();
  const { text } = await requestOk(access, { method: "GET", path: `/${bucket}`, query });
  const found = text.match(/<CommonPrefixes>/g)?.length ?? 0;
  if (found !== PREFIXES) throw new Error(`${found} common prefixes, not ${PREFIXES}`);
  return performance.now() - started;
}

/** Lists pages of 1,000 keys each, one after the other. @returns milliseconds of each page */
export async function listPages({ access, bucket }: S3Server, pages: number): Promise<number[]> {
  const times: number[] = [];
  let token: string | undefined;
  for (let page = 0; page < pages; page++) {
    const more: Record<string, string> = token === undefined ? {} : { "continuation-token": token };
    const started = performance.now();
    const query = { "list-type": "2", prefix: "list/", ...more };
    const { text } = await requestOk(access, { method: "GET", path: `/${bucket}`, query });
    times.push(performance.now() - started);
    token = /<NextContinuationToken>([^<]+)</.exec(text)?.[1];
    if (token === undefined) break;
  }
  return times;
}
