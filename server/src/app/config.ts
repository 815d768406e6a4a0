import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Static } from "typebox";
import { Compile } from "typebox/compile";
import { parseSmtpUrl } from "#stores/mail/index.ts";
import { TLS_ADDRESSES } from "./tls-settings.ts";
import { SETTING_NAMES, SETTINGS, settingOf, type Setting, type SettingName } from "./settings.ts";

/** The effective settings, validated and frozen. */
export type Config = { readonly [N in SettingName]: Static<(typeof SETTINGS)[N]["schema"]> };

/** Lists all mistakes of the configuration. */
export class ConfigError extends Error {
  readonly mistakes: readonly string[];

  constructor(mistakes: readonly string[]) {
    super(`cannot use the configuration:\n${mistakes.map((mistake) => `  - ${mistake}`).join("\n")}`);
    this.name = "ConfigError";
    this.mistakes = mistakes;
  }
}

export interface ConfigSources {
  /** Path of a JSON file with settings by name. */
  readonly file?: string | undefined;
  /** `MOORING_*` variables; others are ignored. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Flags of the command line by setting name; they win over the environment, which wins over the file. */
  readonly flags: Readonly<Record<string, string | undefined>>;
}

/** Returns the environment of this process. Only this function reads it. */
export function processEnvironment(): Readonly<Record<string, string | undefined>> {
  return process.env;
}

interface Given {
  readonly value: unknown;
  /** The source of the value, as the operator wrote it. */
  readonly origin: string;
}

/** The settings and the source of each: a flag, a variable, a place in the file; absent for defaults. */
export interface ExplainedConfig {
  readonly config: Config;
  readonly origins: ReadonlyMap<SettingName, string>;
}

/** Reads, merges and checks the settings. @throws ConfigError that lists every mistake with the option's name */
export function loadConfig(sources: ConfigSources): Config {
  return explainConfig(sources).config;
}

/** As `loadConfig`, with the source of each value. @throws ConfigError */
export function explainConfig(sources: ConfigSources): ExplainedConfig {
  const mistakes: string[] = [];
  const given = new Map<SettingName, Given>();
  for (const [name, value] of fileSettings(sources.file, mistakes)) given.set(name, value);
  for (const [name, value] of environmentSettings(sources.environment, mistakes)) given.set(name, value);
  for (const [name, text] of Object.entries(sources.flags)) {
    if (text !== undefined)
      given.set(name as SettingName, { value: parsed(name as SettingName, text), origin: flagOf(name) });
  }
  const config: Record<string, unknown> = {};
  for (const name of SETTING_NAMES) config[name] = checked(settingOf(name), given.get(name), mistakes);
  relations(config as Config, mistakes);
  if (mistakes.length > 0) throw new ConfigError(mistakes);
  return {
    config: Object.freeze({ ...config, data_dir: resolve(String(config["data_dir"])) }) as Config,
    origins: new Map([...given].map(([name, { origin }]) => [name, origin])),
  };
}

export function flagOf(name: string): string {
  return `--${name.replaceAll("_", "-")}`;
}

export function variableOf(name: string): string {
  return `MOORING_${name.toUpperCase()}`;
}

/** `MOORING_*` variables of the command line that are not settings. */
const OTHER_VARIABLES = new Set([
  "MOORING_CONFIG",
  "MOORING_URL",
  "MOORING_CLIENT_ID",
  "MOORING_CLIENT_SECRET",
  "MOORING_CREDENTIALS",
]);

function fileSettings(file: string | undefined, mistakes: string[]): [SettingName, Given][] {
  if (file === undefined) return [];
  let parsedFile: unknown;
  try {
    parsedFile = JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    mistakes.push(`--config ${file}: cannot be read as JSON: ${(error as Error).message}`);
    return [];
  }
  if (typeof parsedFile !== "object" || parsedFile === null || Array.isArray(parsedFile)) {
    mistakes.push(`--config ${file}: must contain one JSON object of settings`);
    return [];
  }
  return Object.entries(parsedFile).flatMap(([name, value]): [SettingName, Given][] => {
    if (isSetting(name)) return [[name, { value, origin: `${name} in ${file}` }]];
    mistakes.push(`${name} in ${file}: is not a setting${didYouMean(name)}`);
    return [];
  });
}

function environmentSettings(environment: ConfigSources["environment"], mistakes: string[]): [SettingName, Given][] {
  return Object.entries(environment).flatMap(([variable, text]): [SettingName, Given][] => {
    if (!variable.startsWith("MOORING_") || OTHER_VARIABLES.has(variable) || text === undefined) return [];
    const name = variable.slice("MOORING_".length).toLowerCase();
    if (isSetting(name)) return [[name, { value: parsed(name, text), origin: variable }]];
    mistakes.push(`${variable}: is not a setting${didYouMean(name)}`);
    return [];
  });
}

function isSetting(name: string): name is SettingName {
  return Object.hasOwn(SETTINGS, name);
}

/**
 * Converts text from a flag or a variable to the schema's type. Leaves text that can't be converted; validation refuses
 * it.
 */
function parsed(name: SettingName, text: string): unknown {
  const fallback = SETTINGS[name].default as unknown;
  if (text === "" && fallback === null) return null;
  if (Array.isArray(fallback)) return text === "" ? [] : text.split(",").map((part) => part.trim());
  if (!/^-?[0-9]+$/.test(text)) return text;
  const number = Number(text);
  return typeof fallback === "number" || Compile(SETTINGS[name].schema).Check(number) ? number : text;
}

function checked(setting: Setting, given: Given | undefined, mistakes: string[]): unknown {
  if (given === undefined) return setting.default;
  const schema = Compile(setting.schema);
  if (schema.Check(given.value)) return given.value;
  const shown = setting.secret === true ? "the value" : JSON.stringify(given.value);
  const why = schema.Errors(given.value).map((error) => error.message);
  const form = setting.form === undefined ? (why.at(-1) ?? "is not valid") : `must be ${setting.form}`;
  mistakes.push(`${given.origin}: ${shown} ${form} (${setting.description})`);
  return setting.default;
}

function relations(config: Config, mistakes: string[]): void {
  if (config.query_timeout_ms > config.query_timeout_ms_max) {
    mistakes.push("query_timeout_ms: must not be greater than query_timeout_ms_max");
  }
  if (config.rate_limit_burst < config.rate_limit_per_second) {
    mistakes.push("rate_limit_burst: must be at least rate_limit_per_second");
  }
  tlsRelations(config, mistakes);
  if ((config.oidc_issuer === null) !== (config.oidc_client_id === null)) {
    mistakes.push("oidc_issuer and oidc_client_id: must be set together");
  }
  if (config.oidc_issuer !== null && !isSafeIssuer(config.oidc_issuer)) {
    mistakes.push(
      "oidc_issuer: must begin with https://, because anybody who can alter its answers could sign in as any person",
    );
  }
  if ((config.smtp_url === null) !== (config.mail_from === null)) {
    mistakes.push("smtp_url and mail_from: must be set together");
  }
  if (config.backup_interval_hours !== null && config.backup_dir === null) {
    mistakes.push("backup_interval_hours: needs backup_dir, too");
  }
  if (config.smtp_url !== null) mistakes.push(...smtpMistakes(config.smtp_url));
  for (const name of ["objects_s3_access_key_id", "objects_s3_secret_access_key"] as const) {
    if (config.objects_s3_bucket !== null && config[name] === null)
      mistakes.push(`${name}: must be set when objects_s3_bucket is`);
  }
  for (const name of ["listen", "s3_listen", "metrics_listen", "http_redirect_listen"] as const) {
    const port = Number(config[name].split(":").at(-1));
    if (config[name] !== "off" && port > 65_535) mistakes.push(`${name}: port ${port} is greater than 65535`);
  }
}

function tlsRelations(config: Config, mistakes: string[]): void {
  for (const [cert, key] of Object.values(TLS_ADDRESSES))
    if ((config[cert] === null) !== (config[key] === null)) mistakes.push(`${cert} and ${key}: must be set together`);
  const isSecure = config.portal_url === null ? config.tls_cert !== null : config.portal_url.startsWith("https:");
  if (config.http_redirect_listen !== "off" && !isSecure)
    mistakes.push("http_redirect_listen: needs tls_cert, or a portal_url that begins with https://");
}

function smtpMistakes(url: string): string[] {
  try {
    parseSmtpUrl(url);
    return [];
  } catch (error) {
    return [`smtp_url: the value ${(error as Error).message}`];
  }
}

/** Accepts plain HTTP on this machine only, for tests. */
function isSafeIssuer(issuer: string): boolean {
  const { protocol, hostname } = new URL(issuer);
  return protocol === "https:" || ["localhost", "127.0.0.1", "[::1]"].includes(hostname);
}

function didYouMean(name: string): string {
  const near = SETTING_NAMES.find((known) => known.startsWith(name.slice(0, 5)) || known.endsWith(name.slice(-5)));
  return near === undefined ? "" : `; did you mean ${near}?`;
}

/** The settings with their secrets replaced, so that they can be shown. */
export function redactedConfig(config: Config): Record<string, unknown> {
  return Object.fromEntries(
    SETTING_NAMES.map((name) => [
      name,
      settingOf(name).secret === true && config[name] !== null ? "(set, not shown)" : config[name],
    ]),
  );
}
