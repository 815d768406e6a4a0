import { randomUUID } from "node:crypto";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Layout } from "../layout.ts";
import type { MadeFile } from "./protocol.ts";

/**
 * Creates a folder for the files of a job. Its name is unique, even among children of a process that was just killed.
 */
export async function makeWorkFolder(layout: Layout): Promise<string> {
  const path = join(layout.work, randomUUID());
  await mkdir(path, { mode: 0o700 });
  return path;
}

export async function removeWork(dir: string): Promise<void> {
  await rm(dir, { recursive: true, force: true });
}

/** @throws Error when the output of a job does not have exactly as many rows as its input */
export function assertAllRows(expected: number, made: readonly MadeFile[]): void {
  const rows = made.reduce((sum, file) => sum + file.rows, 0);
  if (rows !== expected) throw new Error(`${expected} rows were read, but ${rows} were written`);
}
