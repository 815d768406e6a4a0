import { performance } from "node:perf_hooks";
import type { Batches } from "./dataset.ts";
import { diskBytes, sampleTree, type Usage } from "./sampler.ts";
import { send, type SendPlan, type Sent } from "./send.ts";
import { until } from "./until.ts";

/** A server that accepts logs. */
export interface Target {
  readonly name: string;
  /** What a 2xx answer guarantees. */
  readonly durable: string;
  readonly pid: number;
  readonly storageDir: string;
  /** The directory of the files that queries read, if the storage directory has other files too. */
  readonly filesDir?: string;
  plan(batches: Batches): Omit<SendPlan, "batches" | "connections" | "timeoutMs">;
  /** Rows that are not yet in their final files: in memory, or in a form that will be rewritten. */
  pendingRows(): Promise<number>;
  /** The number of log entries that queries see. */
  entries(): Promise<number>;
  stop(): Promise<void>;
}

export interface Ingested extends Usage, Sent {
  readonly entries: number;
  /** Pending rows at ten moments of the sending. */
  readonly pending: readonly number[];
  readonly pendingMax: number;
  /** Milliseconds from the last answer until nothing was pending. */
  readonly settledMs: number;
  readonly storageBytes: number;
}

const CONNECTIONS = 16;
const LOOK_EVERY_MS = 500;
const SETTLE_TIMEOUT_MS = 600_000;

export async function ingest(target: Target, batches: Batches, timeoutMs: number): Promise<Ingested> {
  const sampler = await sampleTree(target.pid);
  const looks: number[] = [];
  let looking: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    looking = looking.then(async () => looks.push(await target.pendingRows()));
  }, LOOK_EVERY_MS);
  try {
    const plan = { ...target.plan(batches), batches, connections: CONNECTIONS, timeoutMs };
    const sent = await send(plan, () => {});
    const answered = performance.now();
    clearInterval(timer);
    await looking;
    await until(`${target.name} settles`, SETTLE_TIMEOUT_MS, async () => (await target.pendingRows()) === 0);
    const settledMs = performance.now() - answered;
    const usage = await sampler.stop();
    const storageBytes = await diskBytes(target.storageDir);
    const pendingMax = Math.max(0, ...looks);
    return { ...usage, ...sent, entries: batches.entries, pending: tenths(looks), pendingMax, settledMs, storageBytes };
  } finally {
    clearInterval(timer);
  }
}

function tenths(looks: readonly number[]): number[] {
  return Array.from({ length: 10 }, (_, i) => looks[Math.floor(((i + 1) * looks.length) / 10) - 1] ?? 0);
}
