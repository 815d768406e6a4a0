import { connect, type Socket } from "node:net";
import type { LoadPlan, LoadResult } from "./load.ts";
import { quantileOf } from "./statistics.ts";

// A client that costs next to nothing, so that the figures are the server's: whole requests are written, and of the answers
// only the status line and Content-Length are read.

process.once("message", (message) => {
  run(message as LoadPlan).then(
    (result) => process.send?.(result),
    (error: unknown) => {
      process.stderr.write(`${String(error)}\n`);
      process.exitCode = 1;
      process.disconnect();
    },
  );
});

async function run(plan: LoadPlan): Promise<LoadResult> {
  const statuses: Record<string, number> = {};
  const latencies: number[] = [];
  let next = 0;
  const started = performance.now();
  const until = started + plan.durationMs;
  const take = (): Buffer | null =>
    performance.now() < until ? (plan.requests[next++ % plan.requests.length] ?? null) : null;
  const note = (status: string, ms: number): void => {
    statuses[status] = (statuses[status] ?? 0) + 1;
    latencies.push(ms);
  };
  await Promise.all(Array.from({ length: plan.connections }, () => drive(plan, take, note)));
  return {
    answered: latencies.length,
    elapsedMs: performance.now() - started,
    statuses,
    p50Ms: quantileOf(latencies, 0.5),
    p99Ms: quantileOf(latencies, 0.99),
  };
}

/** One connection: a request, its answer, the next request. */
function drive(plan: LoadPlan, take: () => Buffer | null, note: (status: string, ms: number) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect({ host: plan.host, port: plan.port, noDelay: true });
    let pending = Buffer.alloc(0);
    let sentAt = 0;
    const send = (): void => {
      const request = take();
      if (request === null) {
        socket.end();
        resolve();
        return;
      }
      sentAt = performance.now();
      socket.write(request);
    };
    socket.on("connect", send);
    socket.on("error", reject);
    socket.on("data", (chunk) => {
      pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
      const end = answerEnd(pending);
      if (end === null) return;
      note(pending.toString("latin1", 9, 12), performance.now() - sentAt);
      pending = pending.subarray(end);
      send();
    });
  });
}

/** Where the first whole answer ends, or null while it is not whole. */
function answerEnd(bytes: Buffer): number | null {
  const head = bytes.indexOf("\r\n\r\n");
  if (head === -1) return null;
  const length = /content-length: (\d+)/i.exec(bytes.toString("latin1", 0, head));
  if (length?.[1] === undefined)
    throw new Error(`an answer without Content-Length: ${bytes.toString("latin1", 0, head)}`);
  const end = head + 4 + Number(length[1]);
  return bytes.length >= end ? end : null;
}
