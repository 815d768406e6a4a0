import { spawn } from "node:child_process";
import { once } from "node:events";
import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Batch } from "../index.ts";
import { logBatch } from "./store.ts";

export const KILL_ORGANIZATIONS = ["org_even", "org_odd"] as const;

/** From 1 to 60 rows, different for each batch and known to both sides. */
export function batchRows(writer: number, n: number): number {
  return 1 + ((writer * 31 + n * 7) % 60);
}

/** A batch whose rows name it: `name/0`, `name/1`, … */
export function killBatch(name: string, rows: number): Batch {
  const messages = Array.from({ length: rows }, (_, i) => `${name}/${i}`);
  return logBatch(KILL_ORGANIZATIONS[name.length % 2] ?? "org_even", messages);
}

const FIRST_BATCH_MS_MAX = 20_000;

/** Runs the child until `killAfterMs` after its first acknowledged batch; returns the batches that it printed. */
export async function runAndKill(options: {
  dataDir: string;
  run: number;
  compacting: boolean;
  killAfterMs: number;
}): Promise<string[]> {
  const script = fileURLToPath(new URL("./kill-child.ts", import.meta.url));
  const args = [script, options.dataDir, String(options.run), options.compacting ? "compaction" : "plain"];
  // A file, not a pipe: the child never waits for its reader, and what it has written stays when it is killed.
  const printed = join(options.dataDir, `acknowledged-${options.run}`);
  const output = await open(printed, "a");
  const child = spawn(process.execPath, args, { stdio: ["ignore", output.fd, "inherit"] });
  const closed = once(child, "close");
  const deadline = setTimeout(() => child.kill("SIGTERM"), FIRST_BATCH_MS_MAX);
  while ((await output.stat()).size === 0 && child.exitCode === null && child.signalCode === null) await delay(2);
  clearTimeout(deadline);
  const timer = setTimeout(() => child.kill("SIGKILL"), options.killAfterMs);
  const [code, signal] = (await closed) as [number | null, string | null];
  clearTimeout(timer);
  await output.close();
  if (signal !== "SIGKILL") throw new Error(`the child ended by itself (${signal ?? `exit code ${code}`})`);
  return (await readFile(printed, "utf8")).split("\n").slice(0, -1);
}
