import { isIP } from "node:net";
import { fileVariableOf, isSecret, isSetting, parseSetting, suggestName, variableOf } from "./config-spelling.ts";
import { readText, type GivenSetting, type GivenSettings } from "./config-origin.ts";
import { SETTING_NAMES, type SettingName } from "./settings.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

const PREFIX = "MOORING_";
const FILE_SUFFIX = "_file";
const SECRET_BYTES_MAX = 64 * 1024;

/** Variables of the command line that are not settings, without the prefix. */
const OTHERS = ["config", "url", "client_id", "client_secret", "credentials", "token", "org"];

/** Reads the settings from `MOORING_…` variables, and secrets from the files that `MOORING_…_FILE` name. */
export function readVariables(environment: Environment): GivenSettings {
  const settings: GivenSetting[] = [];
  const mistakes: string[] = [];
  for (const [variable, text] of Object.entries(environment)) {
    if (!variable.startsWith(PREFIX) || text === undefined) continue;
    const name = variable.slice(PREFIX.length).toLowerCase();
    if (OTHERS.includes(name) || isInjected(variable, text)) continue;
    const ofFile = name.endsWith(FILE_SUFFIX) ? name.slice(0, -FILE_SUFFIX.length) : "";
    if (isSetting(name)) {
      if (text === "" && isSecret(name) && environment[fileVariableOf(name)]) continue;
      settings.push({ name, value: parseSetting(name, text), origin: { source: "variable", variable } });
    } else if (isSetting(ofFile)) readSecret(ofFile, variable, environment, { settings, mistakes });
    else mistakes.push(`${variable}: is not a setting; ${suggestion(name)}`);
  }
  return { settings, mistakes };
}

function suggestion(name: string): string {
  const fileVariables = SETTING_NAMES.filter(isSecret).map((secret) => `${secret}${FILE_SUFFIX}`);
  return suggestName(name, { spell: variableOf, others: [...OTHERS, ...fileVariables] });
}

interface Collected {
  readonly settings: GivenSetting[];
  readonly mistakes: string[];
}

/** Adds the content of the file that a `MOORING_…_FILE` names, or the mistake. An empty variable names no file. */
function readSecret(name: SettingName, variable: string, environment: Environment, into: Collected): void {
  const { [variable]: file = "", [variableOf(name)]: direct = "" } = environment;
  if (!isSecret(name)) {
    into.mistakes.push(`${variable}: only secrets can be in separate files; set ${variableOf(name)}`);
    return;
  }
  if (file === "") return;
  if (direct !== "") {
    into.mistakes.push(`${variableOf(name)} and ${variable}: both are set; keep one of them`);
    return;
  }
  try {
    const value = readText(file, SECRET_BYTES_MAX).replace(/\r?\n$/, "");
    if (value === "") throw new Error("it is empty");
    into.settings.push({ name, value, origin: { source: "variable", variable, file } });
  } catch (error) {
    into.mistakes.push(`${variable}: cannot read ${file}: ${(error as Error).message}`);
  }
}

const NUMBER = /^\d{1,5}$/;
const PROTOCOL = /^(tcp|udp|sctp)$/;
const ADDRESS = /^(tcp|udp|sctp):\/\/\S+:\d{1,5}$/;

/**
 * The variables that Kubernetes sets in each container for a Service named mooring or mooring-…, with the form of their
 * values. The form is compared, because a person may set `MOORING_PORT=8080` by mistake. That must be reported.
 */
const INJECTED: readonly (readonly [RegExp, (text: string) => boolean])[] = [
  [/_SERVICE_HOST$/, (text) => isIP(text) !== 0],
  [/_SERVICE_PORT(_[A-Z0-9_]+)?$/, (text) => NUMBER.test(text)],
  [/_PORT(_\d{1,5}_(TCP|UDP|SCTP))?$/, (text) => ADDRESS.test(text)],
  [/_PORT_\d{1,5}_(TCP|UDP|SCTP)_PROTO$/, (text) => PROTOCOL.test(text)],
  [/_PORT_\d{1,5}_(TCP|UDP|SCTP)_PORT$/, (text) => NUMBER.test(text)],
  [/_PORT_\d{1,5}_(TCP|UDP|SCTP)_ADDR$/, (text) => isIP(text) !== 0],
];

function isInjected(variable: string, text: string): boolean {
  return INJECTED.some(([name, isValue]) => name.test(variable) && isValue(text));
}
