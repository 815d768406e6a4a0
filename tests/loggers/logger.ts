/** The interface of a logger for the test, and helpers that the loggers share. */
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

export type Level = "trace" | "debug" | "info" | "warn" | "error" | "fatal";

/** The expected values of a record: its time, within the precision of the form, and its level. */
export interface Expected {
  /** A text in the message of its entry and of no other. */
  readonly id: string;
  readonly fromMs: number;
  readonly toMs: number;
  /** Null if the line has no level. */
  readonly level: Level | null;
}

/** A file of log lines, and the expected values. */
export interface Written {
  readonly file: string;
  readonly expected: readonly Expected[];
}

export interface Logger {
  readonly name: string;
  /** @throws Error when the logger fails */
  write(directory: string): Promise<Written>;
}

export interface Group {
  readonly name: string;
  /** Installs the loggers into a separate directory. @throws Error if they are not available */
  prepare(directory: string): Promise<readonly Logger[]>;
}

const RECORDS = 200;
/** Not whole minutes, so that every part of a time differs from record to record. */
const STEP_MS = 61_234;
const TRACE_EVERY = 20;
const COMMAND_DEADLINE_MS = 300_000;

/** The time of the first record: within the retention of logs, and always on another day than the test's. */
export const FIRST_MS = Math.floor(Date.now() / 86_400_000) * 86_400_000 - 2 * 86_400_000 + 8 * 3_600_000;

export interface WriterOptions {
  readonly levels: readonly Level[];
  /** The precision of the form: 1000 for times in whole seconds. */
  readonly precisionMs: number;
  /** Whether the logger writes the stack traces of errors. */
  readonly traces: boolean;
}

/** Writes the records' file: time, level, message and whether there is a stack trace, separated by tabs. */
export function writeRecords(directory: string, options: WriterOptions): { file: string; expected: Expected[] } {
  const expected: Expected[] = [];
  const lines: string[] = [];
  for (let i = 0; i < RECORDS; i++) {
    const level = options.levels[i % options.levels.length] ?? "info";
    const ms = FIRST_MS + i * STEP_MS;
    const id = `order-${String(i).padStart(5, "0")}`;
    const trace = options.traces && i % TRACE_EVERY === 0 ? "trace" : "plain";
    lines.push(`${ms}\t${level}\t${id} was taken at the warehouse\t${trace}\n`);
    expected.push({ id, fromMs: Math.floor(ms / options.precisionMs) * options.precisionMs, toMs: ms, level });
  }
  const file = join(directory, "records.tsv");
  writeFileSync(file, lines.join(""));
  return { file, expected };
}

/** Returns a logger whose program gets the records' file as its last argument and writes lines to its standard output. */
export function programLogger(
  name: string,
  options: WriterOptions,
  words: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Logger {
  return {
    name,
    write: async (directory) => {
      const { file, expected } = writeRecords(directory, options);
      const [command = "", ...rest] = words;
      const text = await run(command, [...rest, file], { cwd: directory, environment });
      const log = join(directory, "written.log");
      writeFileSync(log, text);
      return { file: log, expected };
    },
  };
}

/** Runs a package manager with this machine's settings. @throws Error with its output when it fails */
export function install(command: string, args: readonly string[], directory: string): Promise<string> {
  const environment = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(?:npm_|NODE_)/.test(name) || name === CERTIFICATES),
  );
  return run(command, args, { cwd: directory, environment: environment as Record<string, string> });
}

const CERTIFICATES = "NODE_EXTRA_CA_CERTS";

/** Runs a command without this process's environment. Returns its output. @throws Error with the output when it fails */
export function run(
  command: string,
  args: readonly string[],
  options: { environment?: Readonly<Record<string, string>>; cwd?: string } = {},
): Promise<string> {
  const path = process.env["PATH"] ?? "/usr/bin:/bin";
  const home = process.env["HOME"] ?? "/root";
  const env = { PATH: path, HOME: home, TZ: "UTC", LC_ALL: "C.UTF-8", ...options.environment };
  const limits = { timeout: COMMAND_DEADLINE_MS, maxBuffer: 64 * 1024 * 1024 };
  return new Promise((resolve, reject) => {
    execFile(command, [...args], { ...limits, env, cwd: options.cwd }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(`${command} ${args.join(" ")}\n${error.message}\n${stdout}\n${stderr}`, { cause: error }));
    });
  });
}
