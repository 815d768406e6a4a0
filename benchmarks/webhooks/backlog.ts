import { setTimeout as delay } from "node:timers/promises";
import { memoryOf, type Product } from "../lib/product.ts";
import { startScript } from "../lib/script.ts";
import { perSecond, sendEvents } from "./events.ts";

/** Events that arrive each second while the backlog is delivered. */
const MEANWHILE_PER_SECOND = 1000;
const MEANWHILE_MS = 5000;
const SETTLED_MS = 120_000;

/** Delivers a backlog of events while others arrive. Every event must reach the destination. */
export async function deliverBacklog(product: Product, events: number): Promise<string> {
  const { webhook, credential } = await product.bootstrap("backlog");
  const path = new URL(webhook.url).pathname;
  const receiver = await startScript(new URL("receiver.ts", import.meta.url));
  try {
    const call = async (method: string, place: string, body: object): Promise<{ id: string }> => {
      const headers = {
        authorization: `Bearer ${await product.token(credential)}`,
        "content-type": "application/json",
      };
      const url = `${product.url}/v1/webhooks/${webhook.id}/destinations${place}`;
      const response = await fetch(url, { method, headers, body: JSON.stringify(body) });
      if (!response.ok) throw new Error(await response.text());
      return (await response.json()) as { id: string };
    };
    const url = `http://127.0.0.1:${receiver.port}/`;
    const destination = await call("POST", "", { name: "bench", url, enabled: false });
    const filled = await sendEvents(product.port, path, { durationMs: Number.MAX_SAFE_INTEGER, requestsMax: events });
    await call("PATCH", `/${destination.id}`, { enabled: true });
    const { sent, ...meanwhile } = await whileDelivering(product, path, receiver.port, events);
    const end = await arrived(receiver.port, events + sent);
    return (
      `backlog of ${shown(events)} events, received at ${shown(perSecond(filled))}/s: delivered at ${shown(meanwhile.perSecond)}/s ` +
      `while ${shown(meanwhile.receivedPerSecond)}/s came in (p50 ${shown(meanwhile.p50Ms, 1)} ms, p99 ${shown(meanwhile.p99Ms, 1)} ms); ` +
      `memory at most ${shown(meanwhile.memoryBytes / 2 ** 20)} MiB; all ${shown(end.events)} events arrived, ${shown(end.requests - end.events)} of them twice\n`
    );
  } finally {
    receiver.stop();
  }
}

async function whileDelivering(product: Product, path: string, receiverPort: number, events: number) {
  const started = performance.now();
  let [sent, memoryBytes, p50Ms, p99Ms] = [0, 0, 0, 0];
  for (;;) {
    const part = await sendEvents(product.port, path, { durationMs: MEANWHILE_MS, perSecond: MEANWHILE_PER_SECOND });
    sent += part.answered;
    p50Ms = Math.max(p50Ms, part.p50Ms); // The worst part counts.
    p99Ms = Math.max(p99Ms, part.p99Ms);
    memoryBytes = Math.max(memoryBytes, await memoryOf(product.process.pid ?? 0));
    const elapsedS = (performance.now() - started) / 1000;
    const { events: delivered } = await countOf(receiverPort);
    if (delivered >= events)
      return { sent, memoryBytes, p50Ms, p99Ms, perSecond: delivered / elapsedS, receivedPerSecond: sent / elapsedS };
  }
}

interface Count {
  readonly requests: number;
  readonly events: number;
}

async function countOf(port: number): Promise<Count> {
  return (await (await fetch(`http://127.0.0.1:${port}/`)).json()) as Count;
}

async function arrived(port: number, events: number): Promise<Count> {
  for (let atMs = 0; atMs < SETTLED_MS; atMs += 500) {
    const count = await countOf(port);
    if (count.events === events) return count;
    if (count.events > events) break;
    await delay(500);
  }
  throw new Error(`${JSON.stringify(await countOf(port))} arrived of ${events} events`);
}

function shown(figure: number, digits = 0): string {
  return figure.toLocaleString("en", { maximumFractionDigits: digits });
}
