import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { memoryOf, startProduct } from "../lib/product.ts";
import { shown, spreadOf } from "../lib/statistics.ts";

// Measures the time from the start of the process to ready, with an empty directory and later. Measures the memory of
// the process and its descendants after 5 s without requests.

const ROUNDS = 5;
const REST_MS = 5000;

const first: number[] = [];
const second: number[] = [];
const memory: number[] = [];
for (let round = 0; round < ROUNDS; round++) {
  const dataDir = mkdtempSync(join(tmpdir(), "mooring-startup-"));
  const fresh = await startProduct({ dataDir, keepData: true });
  first.push(fresh.readyMs);
  await fresh.stop();
  const again = await startProduct({ dataDir, keepData: true });
  second.push(again.readyMs);
  await delay(REST_MS);
  memory.push((await memoryOf(again.process.pid ?? 0)) / 1024 ** 2);
  await again.stop();
  rmSync(dataDir, { recursive: true });
}
process.stdout.write(
  `first start ${shown(spreadOf(first))} ms; second start ${shown(spreadOf(second))} ms; at rest ${shown(spreadOf(memory))} MiB\n`,
);
