import { resolve } from "node:path";
import { Compile } from "typebox/compile";
import { readVariables, type Environment } from "./config-environment.ts";
import { readSettingsFile } from "./config-file.ts";
import { flagOf, parseSetting } from "./config-spelling.ts";
import { originText, type GivenSetting, type Origin } from "./config-origin.ts";
import { relationMistakes, type RelationMistake } from "./config-relations.ts";
import { ruleOf, shownMistake } from "./config-shown.ts";
import { SETTING_NAMES, settingOf, type Config, type Setting, type SettingName } from "./settings.ts";

export type { Config } from "./settings.ts";

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
  readonly environment: Environment;
  /** Flags of the command line by setting name; they win over the environment, which wins over the file. */
  readonly flags: Readonly<Record<string, string | undefined>>;
}

/** Returns the environment of this process. Only this function reads it. */
export function processEnvironment(): Environment {
  return process.env;
}

/** The settings and the origin of each; defaults have none. */
export interface ExplainedConfig {
  readonly config: Config;
  readonly origins: ReadonlyMap<SettingName, Origin>;
}

/** Reads, merges and checks the settings. @throws ConfigError that lists every mistake with its place */
export function loadConfig(sources: ConfigSources): Config {
  return explainConfig(sources).config;
}

/** As `loadConfig`, with the origin of each value. @throws ConfigError */
export function explainConfig({ file, environment, flags }: ConfigSources): ExplainedConfig {
  // In the order of precedence: a later source overrides an earlier one.
  const ofFile = file === undefined ? { settings: [], mistakes: [] } : readSettingsFile(file);
  const ofVariables = readVariables(environment);
  const all = [...ofFile.settings, ...ofVariables.settings, ...flagSettings(flags)];
  const given = new Map(all.map((setting) => [setting.name, setting]));
  const mistakes = [...ofFile.mistakes, ...ofVariables.mistakes];
  const config: Record<string, unknown> = {};
  const faulty = new Set<SettingName>();
  for (const name of SETTING_NAMES) {
    const mistake = mistakeOf(settingOf(name), given.get(name));
    if (mistake !== undefined) {
      mistakes.push(mistake);
      faulty.add(name);
    }
    const value = mistake === undefined ? given.get(name)?.value : undefined;
    config[name] = value === undefined ? settingOf(name).default : value;
  }
  const related = relationMistakes(config as Config).filter(
    ({ names, others = [] }) => ![...names, ...others].some((name) => faulty.has(name)),
  );
  mistakes.push(...related.map((mistake) => relationText(mistake, given)));
  if (mistakes.length > 0) throw new ConfigError(mistakes);
  return {
    config: Object.freeze({ ...config, data_dir: resolve(String(config["data_dir"])) }) as Config,
    origins: new Map([...given].map(([name, { origin }]) => [name, origin])),
  };
}

function flagSettings(flags: ConfigSources["flags"]): GivenSetting[] {
  return Object.entries(flags).flatMap(([flag, text]): GivenSetting[] => {
    const name = flag as SettingName;
    if (text === undefined) return [];
    return [{ name, value: parseSetting(name, text), origin: { source: "flag", flag: flagOf(name) } }];
  });
}

/**
 * Returns `PLACE: VALUE RULE (description)` for a wrong value. Adds the setting's name if the place is a line of a
 * file.
 */
function mistakeOf(setting: Setting, given: GivenSetting | undefined): string | undefined {
  if (given === undefined) return undefined;
  const schema = Compile(setting.schema);
  if (schema.Check(given.value)) return undefined;
  const rule = ruleOf(setting) ?? schema.Errors(given.value).at(-1)?.message ?? "is not valid";
  const name = given.origin.source === "file" ? `${setting.name}: ` : "";
  return `${originText(given.origin)}: ${name}${shownMistake(setting, given.value)} ${rule} (${setting.description})`;
}

function relationText(
  { names, others = [], text }: RelationMistake,
  given: ReadonlyMap<SettingName, GivenSetting>,
): string {
  const places = [...names, ...others].flatMap((name) => {
    const origin = given.get(name)?.origin;
    return origin === undefined ? [] : [`${name} is from ${originText(origin)}`];
  });
  return `${names.join(" and ")}: ${text}${places.length === 0 ? "" : ` (${places.join(", ")})`}`;
}
