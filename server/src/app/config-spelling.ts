import { Compile } from "typebox/compile";
import { nearest } from "#kernel/nearest.ts";
import { SETTING_NAMES, SETTINGS, settingOf, type SettingName } from "./settings.ts";

export function isSetting(name: string): name is SettingName {
  return Object.hasOwn(SETTINGS, name);
}

export function isSecret(name: SettingName): boolean {
  return settingOf(name).secret === true;
}

export function flagOf(name: string): string {
  return `--${name.replaceAll("_", "-")}`;
}

export function variableOf(name: string): string {
  return `MOORING_${name.toUpperCase()}`;
}

/** The variable that names a file with the value. Only secrets have one. */
export function fileVariableOf(name: string): string {
  return `${variableOf(name)}_FILE`;
}

/**
 * Says which name was probably meant: the nearest one, else one that begins or ends with the word.
 * @param options.spell how a name is written there, as a variable for example
 * @param options.others names that are not settings
 */
export function suggestName(
  word: string,
  { spell, others = [] }: { readonly spell: (name: string) => string; readonly others?: readonly string[] },
): string {
  const names = [...SETTING_NAMES, ...others];
  const plain = word.toLowerCase();
  const part = (name: string): boolean => plain.length > 2 && (name.startsWith(plain) || name.endsWith(plain));
  const meant = nearest(plain, names) ?? names.find(part);
  return meant === undefined ? "mooring config print lists all settings" : `did you mean ${spell(meant)}?`;
}

/**
 * Converts text from a flag or a variable to the schema's type. Leaves text that can't be converted; validation refuses
 * it.
 */
export function parseSetting(name: SettingName, text: string): unknown {
  const fallback = SETTINGS[name].default as unknown;
  if (text === "" && fallback === null) return null;
  if (Array.isArray(fallback)) return text === "" ? [] : text.split(",").map((part) => part.trim());
  if (!/^-?[0-9]+$/.test(text)) return text;
  const number = Number(text);
  return typeof fallback === "number" || Compile(SETTINGS[name].schema).Check(number) ? number : text;
}
