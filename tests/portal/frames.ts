/** Measures how smoothly a page draws, and how much memory it holds. */
import type { Page } from "playwright-core";

export interface Frames {
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly maxMs: number;
  readonly count: number;
}

const BEGIN = `(() => {
  const times = [];
  let last = performance.now();
  let on = true;
  const frame = (now) => {
    times.push(now - last);
    last = now;
    if (on) requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
  globalThis.endFrames = () => ((on = false), times.slice(1));
})()`;

/** Returns the times between frames during `act`, in milliseconds. */
export async function framesOf(page: Page, act: () => Promise<void>): Promise<Frames> {
  await page.evaluate(BEGIN);
  await act();
  const times = (await page.evaluate<number[]>("endFrames()")).toSorted((a, b) => a - b);
  const at = (share: number): number =>
    Math.round(times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0);
  return { p50Ms: at(0.5), p95Ms: at(0.95), maxMs: at(1), count: times.length };
}

export function framesText({ p50Ms, p95Ms, maxMs, count }: Frames): string {
  return `frames ${p50Ms} ms, p95 ${p95Ms} ms, longest ${maxMs} ms (${count} frames)`;
}

/** Returns the bytes of the scripts' memory after a garbage collection. */
export async function heapBytes(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.enable");
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  await session.detach();
  return usedSize;
}
