import { fork } from "node:child_process";
import { join } from "node:path";
import type { Batches } from "./dataset.ts";
import { diskBytes, sampleTree, type Usage } from "./sampler.ts";

export interface FloorPlan {
  readonly input: string;
  readonly outputDir: string;
}

export interface Floor extends Usage {
  readonly elapsedMs: number;
  readonly storageBytes: number;
}

/** Writes one Parquet file, sorted by time, with plain DuckDB. The same NDJSON is complete from the start. */
export async function runFloor(batches: Batches, dir: string): Promise<Floor> {
  const child = fork(new URL("floor-process.ts", import.meta.url));
  const sampler = await sampleTree(child.pid ?? 0);
  const outputDir = join(dir, "floor");
  const elapsedMs = await new Promise<number>((resolve, reject) => {
    child.once("message", (message) => resolve(Number(message)));
    child.once("exit", (code) => reject(new Error(`plain DuckDB ended with ${code}`)));
    child.send({ input: batches.path, outputDir } satisfies FloorPlan);
  });
  const usage = await sampler.stop();
  child.kill();
  return { ...usage, elapsedMs, storageBytes: await diskBytes(outputDir) };
}
