import { setTimeout as delay } from "node:timers/promises";
import { drive } from "./connection.ts";
import type { LoadPlan, LoadResult } from "./load.ts";
import { quantileOf } from "./statistics.ts";

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
  const { requestsMax = Number.MAX_SAFE_INTEGER } = plan;
  const until = started + plan.durationMs;
  const take = (): Buffer | null =>
    performance.now() < until && next < requestsMax ? (plan.requests[next++ % plan.requests.length] ?? null) : null;
  const note = ({ status, ms }: { status: string; ms: number }): void => {
    statuses[status] = (statuses[status] ?? 0) + 1;
    latencies.push(ms);
  };
  const client = async (_: unknown, index: number): Promise<void> => {
    if (plan.perSecond === undefined) return drive(plan, take, note);
    const everyMs = (1000 * plan.connections) / plan.perSecond;
    let dueMs = started + (index * everyMs) / plan.connections;
    await delay(Math.max(0, dueMs - performance.now()));
    return drive(plan, take, async (answer) => {
      note(answer);
      dueMs += everyMs;
      await delay(Math.max(0, dueMs - performance.now()));
    });
  };
  await Promise.all(Array.from({ length: plan.connections }, client));
  return {
    answered: latencies.length,
    elapsedMs: performance.now() - started,
    statuses,
    p50Ms: quantileOf(latencies, 0.5),
    p99Ms: quantileOf(latencies, 0.99),
  };
}
