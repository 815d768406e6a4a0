import { randomUUID } from "node:crypto";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Layout } from "../layout.ts";
import type { MadeFile } from "./protocol.ts";

/** A new folder for what a job makes. Nobody else has its name, not even the child of a process that was killed a moment ago. */
export async function makeWorkFolder(layout: Layout): Promise<string> {
  const path = join(layout.work, randomUUID());
  await mkdir(path, { mode: 0o700 });
  return path;
}

export async function removeWork(dir: string): Promise<void> {
  await rm(dir, { recursive: true, force: true });
}

/** @throws Error when not exactly the rows that went into a job have come out of it */
export function assertAllRows(expected: number, made: readonly MadeFile[]): void {
  const rows = made.reduce((sum, file) => sum + file.rows, 0);
  if (rows !== expected) throw new Error(`${expected} rows went in and ${rows} came out`);
}
