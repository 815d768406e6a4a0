import { parseArgs, type ParseArgsConfig } from "node:util";
import type { Config } from "../config.ts";
import { flagOf, loadConfig, processEnvironment, variableOf } from "../config.ts";
import { SETTING_NAMES, settingOf } from "../settings.ts";

/** Exit codes that scripts can rely on. */
export const ExitCode = {
  ok: 0,
  failed: 1,
  usage: 2,
  /** The server refused: no credentials, or not enough. */
  denied: 3,
  /** The server can't be reached or can't answer now. */
  unreachable: 4,
} as const;

export interface Command {
  readonly name: string;
  /** One line for the overview. */
  readonly summary: string;
  /** Runs with the words after the name; resolves with the exit code. @throws UsageError */
  run(args: readonly string[]): Promise<number>;
}

/** The command line itself is wrong; the message says how. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "UsageError";
  }
}

export interface Option {
  readonly name: string;
  readonly type: "string" | "boolean";
  /** Shown in `--help` after the name, for example `FILE`. */
  readonly value?: string;
  readonly description: string;
  readonly multiple?: boolean;
}

export interface Parsed {
  readonly values: Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>;
  readonly positionals: readonly string[];
}

export const CONFIG_OPTION: Option = { name: "config", type: "string", value: "FILE", description: "JSON file with settings" };

/** Each setting as a flag, for the commands that open the stores themselves. */
export function settingOptions(): Option[] {
  return SETTING_NAMES.filter((name) => settingOf(name).secret !== true).map((name) => ({
    name: flagOf(name).slice(2),
    type: "string",
    value: "VALUE",
    description: `${settingOf(name).description} (default ${shown(settingOf(name).default)}; ${variableOf(name)})`,
  }));
}

function shown(value: unknown): string {
  if (value === null) return "none";
  return Array.isArray(value) ? value.join(",") || "none" : String(value);
}

/** Parses the words of one command; `--help` prints the help and yields null. @throws UsageError */
export function parseCommand(usage: string, options: readonly Option[], args: readonly string[]): Parsed | null {
  const config: ParseArgsConfig = {
    args: [...args],
    allowPositionals: true,
    strict: true,
    options: Object.fromEntries([
      ["help", { type: "boolean" as const, short: "h" }],
      ...options.map((option) => [option.name, { type: option.type, multiple: option.multiple ?? false }] as const),
    ]),
  };
  let parsed: ReturnType<typeof parseArgs>;
  try {
    parsed = parseArgs(config);
  } catch (error) {
    throw new UsageError((error as Error).message.split("\n")[0] ?? "wrong options");
  }
  if (parsed.values["help"] === true) {
    process.stdout.write(helpText(usage, options));
    return null;
  }
  return { values: parsed.values, positionals: parsed.positionals };
}

function helpText(usage: string, options: readonly Option[]): string {
  const heads = options.map((option) => `--${option.name}${option.value === undefined ? "" : ` ${option.value}`}`);
  const width = Math.min(34, Math.max(0, ...heads.map((head) => head.length)));
  const lines = options.map((option, i) => `  ${(heads[i] ?? "").padEnd(width)}  ${option.description}`);
  return `${usage.trim()}\n\nOptions:\n${[...lines, `  ${"--help".padEnd(width)}  show this`].join("\n")}\n`;
}

/** The configuration from `--config`, the environment and the flags that name settings. @throws ConfigError */
export function configOf(parsed: Parsed): Config {
  const flags: Record<string, string | undefined> = {};
  for (const name of SETTING_NAMES) {
    const value = parsed.values[flagOf(name).slice(2)];
    if (typeof value === "string") flags[name] = value;
  }
  const environment = processEnvironment();
  const file = parsed.values["config"] ?? environment["MOORING_CONFIG"];
  return loadConfig({ file: typeof file === "string" ? file : undefined, environment, flags });
}

export function textOption(parsed: Parsed, name: string): string | undefined {
  const value = parsed.values[name];
  return typeof value === "string" ? value : undefined;
}

/** An option that the command can't do without. @throws UsageError */
export function requiredOption(parsed: Parsed, name: string): string {
  const value = textOption(parsed, name);
  if (value === undefined || value === "") throw new UsageError(`--${name} is missing`);
  return value;
}
