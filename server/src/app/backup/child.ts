import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { setPriority } from "node:os";
import { childEnvironment } from "#kernel/child-environment.ts";
import { resourcePath } from "#kernel/programs.ts";
import type { Config } from "../config.ts";
import { variableOf } from "../config-spelling.ts";
import { SETTING_NAMES } from "../settings.ts";

const NICENESS = 10;
const DETAIL_CHARS_MAX = 1_000;
/** Settings that the commands of backups use. */
const USED = /^(data_dir|database_url|master_key\w*|backup_\w+|objects_s3_\w+)$/;

export interface BackupChild {
  /** Resolves to the output, or to the reason of a failure. Never rejects. */
  readonly ended: Promise<
    { readonly ok: true; readonly output: string } | { readonly ok: false; readonly detail: string }
  >;
  kill(): void;
}

/** Runs `mooring backup …` in another process, because a copy of the records would block this one. */
export function startBackupChild(config: Config, words: readonly string[]): BackupChild {
  const child = spawn(process.execPath, [resourcePath("launcher"), "backup", ...words, "--json"], {
    env: { ...childEnvironment(), ...variablesOf(config) },
    stdio: ["ignore", "pipe", "pipe"],
  });
  if (child.pid !== undefined) setPriority(child.pid, NICENESS);
  return { ended: endOf(child), kill: () => void child.kill("SIGTERM") };
}

/** Secrets are in the environment, because other users can read command lines. */
function variablesOf(config: Config): Record<string, string> {
  const used = SETTING_NAMES.filter((name) => USED.test(name) && config[name] !== null);
  return Object.fromEntries(used.map((name) => [variableOf(name), String(config[name])]));
}

async function endOf(child: ChildProcess): ReturnType<() => BackupChild["ended"]> {
  const [output, errors]: [string[], string[]] = [[], []];
  child.stdout?.setEncoding("utf8").on("data", (chunk: string) => output.push(chunk));
  child.stderr?.setEncoding("utf8").on("data", (chunk: string) => errors.push(chunk));
  const [code] = (await once(child, "close").catch((error: unknown) => [String(error)])) as [number | string | null];
  if (code === 0) return { ok: true, output: output.join("") };
  const detail = [...errors, ...output].join("").trim().slice(0, DETAIL_CHARS_MAX);
  return { ok: false, detail: detail || `it ended early (${code ?? "killed"})` };
}
