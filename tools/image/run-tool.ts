import { spawnSync } from "node:child_process";

const OUTPUT_BYTES_MAX = 512 * 1024 ** 2;
const DEADLINE_MS = 300_000;

export interface ToolOptions {
  readonly cwd?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

/** Runs a program of the system and returns what it prints. @throws Error with its own words */
export function runTool(program: string, words: readonly string[], options: ToolOptions = {}): Buffer {
  const done = spawnSync(program, words, {
    cwd: options.cwd,
    env: { ...process.env, LC_ALL: "C.UTF-8", ...options.environment },
    maxBuffer: OUTPUT_BYTES_MAX,
    timeout: DEADLINE_MS,
  });
  if (done.error !== undefined) throw new Error(`cannot run ${program}: ${done.error.message}`, { cause: done.error });
  if (done.status !== 0) throw new Error(`${program} ${words.join(" ")} failed: ${done.stderr.toString().trim()}`);
  return done.stdout;
}
