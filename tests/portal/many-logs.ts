/** Sends any number of log entries by the normal ingest, over a range that ends an hour ago. */
import assert from "node:assert/strict";
import type { Shared } from "../fixtures/server.ts";

const BATCH = 1000;
const CONNECTIONS = 8;
const HOURS = 6;
const SERVICES = ["payments", "checkout", "web", "search", "mail"];
const LEVELS = ["info", "info", "info", "info", "debug", "info", "warn", "info", "info", "error"];
const MESSAGES = [
  (n: number) => `GET /orders/${n} answered 200 in ${n % 900} ms`,
  (n: number) => `card declined: issuer answered 05 for order ${n}`,
  (n: number) => `retrying charge ${n % 5} of 5 for customer ${n % 10_007}`,
  (n: number) => `cache missed: key session:${(n * 2_654_435_761) % 4_294_967_296}`,
];

export interface Range {
  readonly from: string;
  readonly to: string;
}

/** Returns the range that `fillLogs` fills from now on. */
export function rangeOfLogs(nowMs: number): Range {
  const toMs = Math.floor(nowMs / 3_600_000) * 3_600_000;
  return { from: new Date(toMs - HOURS * 3_600_000).toISOString(), to: new Date(toMs).toISOString() };
}

/** Fills the range evenly, in the order of time, without two entries at one time. Returns the duration in milliseconds. */
export async function fillLogs({ server, token }: Shared, rows: number, range: Range): Promise<number> {
  const startedMs = performance.now();
  const fromMs = Date.parse(range.from);
  const stepUs = ((Date.parse(range.to) - fromMs) * 1000) / rows;
  const at = (n: number): string => {
    const us = Math.floor(n * stepUs);
    const iso = new Date(fromMs + Math.floor(us / 1000)).toISOString();
    return `${iso.slice(0, -1)}${String(us % 1000).padStart(3, "0")}Z`;
  };
  let next = 0;
  const connection = async (): Promise<void> => {
    for (let first = next; first < rows; first = next) {
      next += BATCH;
      const entries = Array.from({ length: Math.min(BATCH, rows - first) }, (_, i) => entry(first + i, at(first + i)));
      await send(`${server.origin}/v1/ingest/logs`, token, `{"entries":[${entries.join(",")}]}`);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, connection));
  return performance.now() - startedMs;
}

function entry(n: number, timestamp: string): string {
  const level = LEVELS[n % LEVELS.length] ?? "info";
  const service = SERVICES[n % SERVICES.length] ?? "web";
  const message = MESSAGES[n % MESSAGES.length]?.(n) ?? "";
  return `{"timestamp":"${timestamp}","level":"${level}","message":"${message}","service":"${service}","attributes":{"order":"${n % 100_003}","ms":${n % 900}}}`;
}

const TRIES_MAX = 60;

/** Sends again while the server answers that it is busy. */
async function send(url: string, token: string, body: string): Promise<void> {
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const response = await fetch(url, { method: "POST", headers, body });
    const text = await response.text();
    if (response.status === 202) return;
    assert.ok(response.status === 429 || response.status === 503, `${response.status} ${text}`);
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  throw new Error("cannot fill the logs: the server is busy for too long");
}
