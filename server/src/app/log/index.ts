import { isatty } from "node:tty";
import { pino, type Logger } from "pino";
import { isSecret } from "../config-spelling.ts";
import { SETTING_NAMES, settingOf, type Config } from "../settings.ts";
import { textLine } from "./text-line.ts";

const STDERR = 2;

/** Accepts lines of JSON. */
export interface LineSink {
  write(line: string): unknown;
}

/**
 * Creates the log of the server: one line for each event, with the name of its level, on stderr. stdout is for the
 * addresses.
 * @param also gets each line as JSON, in every format
 */
export function createLog(config: Config, also: LineSink | null = null): Logger {
  const destination = pino.destination(STDERR);
  const isText = config.log_format === "text" || (config.log_format === "auto" && isatty(STDERR));
  const hide = hider(secretsOf(config));
  const stream = {
    write: (line: string): void => {
      const safe = hide(line);
      destination.write(isText ? textLine(safe) : safe);
      also?.write(safe);
    },
    flushSync: () => destination.flushSync(),
  };
  return pino(logOptions(config.log_level), stream);
}

/** Level names instead of pino's numbers, and times that people can read. */
export function logOptions(level: Config["log_level"]) {
  return {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (name: string) => ({ level: name }) },
  };
}

const HIDDEN = "(hidden)";
/** A shorter secret would also match parts of other words. */
const SECRET_CHARS_MIN = 6;

/** The secrets of the settings, and the passwords within addresses. */
function secretsOf(config: Config): string[] {
  const values = SETTING_NAMES.filter(isSecret).flatMap((name) => {
    const value = config[name];
    if (typeof value !== "string") return [];
    return settingOf(name).secretUrl === true ? [value, ...passwordsIn(value)] : [value];
  });
  return values.filter((value) => value.length >= SECRET_CHARS_MIN).map((value) => JSON.stringify(value).slice(1, -1));
}

/** The password as it is written and as it is sent. */
function passwordsIn(url: string): string[] {
  if (!URL.canParse(url)) return [];
  const { password } = new URL(url);
  try {
    return [password, decodeURIComponent(password)];
  } catch {
    return [password];
  }
}

/** User and password in an address, in JSON text. */
const USER_INFO = /(:\/\/)[^\s"/?#@\\]*@/g;

/**
 * Returns a function that hides secrets in a line. It is the last defence: code must not log them. Errors of libraries
 * may quote their input.
 */
export function hider(secrets: readonly string[]): (line: string) => string {
  return (line) => {
    let safe = line;
    for (const secret of secrets) if (safe.includes(secret)) safe = safe.replaceAll(secret, HIDDEN);
    return safe.includes("://") && safe.includes("@") ? safe.replaceAll(USER_INFO, `$1${HIDDEN}@`) : safe;
  };
}
