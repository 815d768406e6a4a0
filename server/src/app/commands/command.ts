import { parseArgs, type ParseArgsConfig } from "node:util";
import { ApiError, UnreachableError } from "@mooring/client";
import { nearest } from "#kernel/nearest.ts";
import { type Config, ConfigError, loadConfig, processEnvironment, type ConfigSources } from "../config.ts";
import { fileVariableOf, flagOf, isSecret, variableOf } from "../config-spelling.ts";
import { SETTING_NAMES, settingOf } from "../settings.ts";

/** Exit codes that scripts can rely on. */
export const ExitCode = {
  ok: 0,
  failed: 1,
  usage: 2,
  /** The server refused: no credentials, or too few permissions. */
  denied: 3,
  /** The server can't be reached or can't answer now. */
  unreachable: 4,
  /** The server ended itself because an essential part died, see `docs/reference/operations.md`. A supervisor restarts it. */
  recordsWriterDied: 10,
  telemetryLogDied: 11,
  keyStoreDied: 12,
  /** Ended by Ctrl-C: 128 plus the number of SIGINT, as in shells. */
  interrupted: 130,
} as const;

export interface Command {
  /** Runs with the arguments after the name. Resolves with the exit code. @throws UsageError */
  run(args: readonly string[]): Promise<number>;
}

/** A mistake in the command line; the message names it. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "UsageError";
  }
}

/** A command that failed: its message is printed unchanged, and its code is the exit code. */
export class CommandError extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number = ExitCode.failed) {
    super(message);
    this.name = "CommandError";
    this.exitCode = exitCode;
  }
}

export function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError || error instanceof ConfigError) return ExitCode.usage;
  if (error instanceof UnreachableError) return ExitCode.unreachable;
  if (error instanceof ApiError) return exitCodeOfStatus(error.status);
  return error instanceof CommandError ? error.exitCode : ExitCode.failed;
}

function exitCodeOfStatus(status: number): number {
  if (status === 401 || status === 403) return ExitCode.denied;
  return status === 429 || status >= 502 ? ExitCode.unreachable : ExitCode.failed;
}

const HINTS: Readonly<Record<string, string>> = {
  invalid_client: "Check the client id and secret; mooring bootstrap creates a new credential.",
  insufficient_scope: "Use a credential with that scope; mooring credential create --scope … creates one.",
};

/** Returns the message of an error, with the remedy if there is a known one. */
export function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const hint = error instanceof ApiError ? HINTS[error.code] : undefined;
  return hint === undefined ? message : `${message}\n${hint}`;
}

export interface Option {
  readonly name: string;
  /** Shown in `--help` after the name, for example `FILE`. Without it the option takes no value. */
  readonly value?: string;
  readonly description: string;
  readonly multiple?: boolean;
  /** An option without a value that also has a form `--no-NAME`. */
  readonly negatable?: boolean;
  /** Accepted, but described only in another command's help. */
  readonly unlisted?: boolean;
}

export interface Parsed {
  readonly values: Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>;
  readonly positionals: readonly string[];
}

export const CONFIG_OPTION: Option = {
  name: "config",
  value: "FILE",
  description: "JSON file with settings",
};

/** Settings that the help of a command lists. The help of `serve` lists all. */
const LISTED: ReadonlySet<string> = new Set(["data_dir"]);

/** Returns each setting as a flag, for commands that open the stores themselves. */
export function settingOptions({ listed = "few" }: { readonly listed?: "few" | "all" } = {}): Option[] {
  return SETTING_NAMES.filter((name) => !isSecret(name)).map((name) => ({
    unlisted: listed === "few" && !LISTED.has(name),
    name: flagOf(name).slice(2),
    value: "VALUE",
    description: `${settingOf(name).description} (default ${shown(settingOf(name).default)}; ${variableOf(name)})`,
  }));
}

function shown(value: unknown): string {
  if (value === null) return "none";
  if (Array.isArray(value)) return value.join(",") || "none";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The options of a command that opens the records itself: each setting as a flag. */
export const LOCAL_OPTIONS: readonly Option[] = [CONFIG_OPTION, ...settingOptions()];

/** A command with its help and options. It ends with the exit code that `run` returns, or with 0. */
export function command(
  usage: string,
  options: readonly Option[],
  run: (parsed: Parsed) => Promise<number | void>,
): Command {
  return {
    run: async (args) => {
      const parsed = parseCommand(usage, options, args);
      const code = parsed === null ? ExitCode.ok : await run(parsed);
      return typeof code === "number" ? code : ExitCode.ok;
    },
  };
}

/** Refuses arguments that the command does not accept. @throws UsageError */
export function noMore(words: readonly string[]): void {
  if (words.length > 0) throw new UsageError(`unexpected: ${words.join(" ")}`);
}

/** Parses the arguments of one command. `--help` prints the help and returns null. @throws UsageError */
function parseCommand(usage: string, options: readonly Option[], args: readonly string[]): Parsed | null {
  const known: NonNullable<ParseArgsConfig["options"]> = { help: { type: "boolean", short: "h" } };
  for (const { name, value, multiple = false } of options)
    known[name] = { type: value === undefined ? "boolean" : "string", multiple };
  let parsed: ReturnType<typeof parseArgs>;
  try {
    const allowNegative = options.some(({ negatable }) => negatable === true);
    parsed = parseArgs({ args: [...args], allowPositionals: true, strict: true, options: known, allowNegative });
  } catch (error) {
    // The rest of Node's message describes values that begin with a hyphen.
    const message = (error as Error).message.split(/\n|\. To specify/)[0] ?? "wrong options";
    const unknown = /^Unknown option '(--[^'=]+)/.exec(message)?.[1];
    throw new UsageError(unknown === undefined ? message : unknownOption(unknown, Object.keys(known)));
  }
  if (parsed.values["help"] === true) {
    process.stdout.write(helpText(usage, options));
    return null;
  }
  return { values: parsed.values, positionals: parsed.positionals };
}

/** A secret has no flag, because the list of processes shows command lines to other users. */
function unknownOption(option: string, known: readonly string[]): string {
  const secret = SETTING_NAMES.find((name) => isSecret(name) && flagOf(name) === option);
  if (secret !== undefined)
    return `${option}: a secret can't be an option, because other users can see command lines; set ${variableOf(secret)} or ${fileVariableOf(secret)}`;
  const near = nearest(option.slice(2), known);
  return `there is no option ${option}${near === undefined ? "" : `; did you mean --${near}?`}`;
}

function helpText(usage: string, all: readonly Option[]): string {
  const options = all.filter((option) => option.unlisted !== true);
  const heads = options.map(({ name, value, negatable }) =>
    negatable === true ? `--[no-]${name}` : `--${name}${value === undefined ? "" : ` ${value}`}`,
  );
  const width = Math.min(34, Math.max(0, ...heads.map((head) => head.length)));
  const lines = options.map((option, i) => `  ${(heads[i] ?? "").padEnd(width)}  ${option.description}`.trimEnd());
  lines.push(`  ${"--help".padEnd(width)}  show this help`);
  if (options.length < all.length) lines.push("", "Every setting of `mooring serve` is accepted as an option.");
  return `${usage.trim()}\n\nOptions:\n${lines.join("\n")}\n`;
}

/** Returns the configuration from `--config`, the environment and the flags. @throws ConfigError */
export function configOf(parsed: Parsed): Config {
  return loadConfig(sourcesOf(parsed));
}

export function sourcesOf(parsed: Parsed): ConfigSources {
  const flags: Record<string, string | undefined> = {};
  for (const name of SETTING_NAMES) {
    const value = parsed.values[flagOf(name).slice(2)];
    if (typeof value === "string") flags[name] = value;
  }
  const environment = processEnvironment();
  const file = parsed.values["config"] ?? environment["MOORING_CONFIG"];
  return { file: typeof file === "string" ? file : undefined, environment, flags };
}

export function textOption(parsed: Parsed, name: string): string | undefined {
  const value = parsed.values[name];
  return typeof value === "string" ? value : undefined;
}

/** Returns a required option. @throws UsageError */
export function requiredOption(parsed: Parsed, name: string): string {
  const value = textOption(parsed, name);
  if (value === undefined || value === "") throw new UsageError(`--${name} is missing`);
  return value;
}

export function textsOption(parsed: Parsed, name: string): readonly string[] {
  const value = parsed.values[name];
  return Array.isArray(value) ? value.map(String) : [];
}

/** Parses a whole number within bounds. @throws UsageError */
export function countOption(
  parsed: Parsed,
  name: string,
  bounds: { minimum: number; maximum: number },
): number | undefined {
  const text = textOption(parsed, name);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!/^\d{1,15}$/.test(text) || value < bounds.minimum || value > bounds.maximum) {
    throw new UsageError(
      `--${name} must be a whole number from ${bounds.minimum} to ${bounds.maximum}, not ${JSON.stringify(text)}`,
    );
  }
  return value;
}

/** Parses one of a list of words. @throws UsageError */
export function choiceOption<const C extends readonly string[]>(
  parsed: Parsed,
  name: string,
  choices: C,
): C[number] | undefined {
  const text = textOption(parsed, name);
  if (text === undefined || choices.includes(text)) return text;
  throw new UsageError(`--${name} must be one of ${choices.join(", ")}, not ${JSON.stringify(text)}`);
}

/** Parses a set of words. The option may be repeated; each value may have commas or spaces. @throws UsageError */
export function choicesOption<const C extends readonly string[]>(
  parsed: Parsed,
  name: string,
  choices: C,
): C[number][] {
  const words = textsOption(parsed, name).flatMap((text) => text.split(/[\s,]+/).filter((word) => word !== ""));
  const isChoice = (word: string): word is C[number] => choices.includes(word);
  const unknown = words.filter((word) => !isChoice(word));
  if (unknown.length > 0)
    throw new UsageError(`--${name} ${unknown.join(", ")}: there is no such ${name}; choose from ${choices.join(" ")}`);
  return [...new Set(words.filter(isChoice))];
}

/**
 * Returns a secret that the server shows once. Null: the answer with the secret was lost, and a retry can't show it
 * again.
 * @throws CommandError
 */
export function shownSecret(secret: string | null, { made, mend }: { made: string; mend: string }): string {
  if (secret !== null) return secret;
  throw new CommandError(`${made} was created, but the answer with its secret was lost; ${mend}`);
}
