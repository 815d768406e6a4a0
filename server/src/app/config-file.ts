import { parseJson } from "#kernel/json-names.ts";
import { jsonFaultAt } from "#kernel/json-places.ts";
import { isDeeperThan, jsonMembersOf } from "#kernel/json-text.ts";
import { isSetting, suggestName } from "./config-spelling.ts";
import { readText, type GivenSetting, type GivenSettings, type Origin } from "./config-origin.ts";

const FILE_BYTES_MAX = 1024 * 1024;
/** No setting needs more levels than an object with lists. */
const LEVELS_MAX = 8;

/**
 * Reads a settings file: one JSON object, the settings by name. Every mistake has its line and column, and none quotes
 * the file, since it may have secrets.
 */
export function readSettingsFile(path: string): GivenSettings {
  let text: string;
  try {
    text = readText(path, FILE_BYTES_MAX).replace(/^\uFEFF/, "");
  } catch (error) {
    return { settings: [], mistakes: [`${path}: cannot read the settings: ${(error as Error).message}`] };
  }
  const fault = faultOf(text);
  if (fault !== undefined) return { settings: [], mistakes: [`${placeText(path, text, fault.at)}: ${fault.reason}`] };
  return settingsOf(path, text);
}

function settingsOf(path: string, text: string): GivenSettings {
  const settings: GivenSetting[] = [];
  const mistakes: string[] = [];
  const lines = new Map<string, number>();
  for (const { name, nameAt, value, valueAt } of jsonMembersOf(text)) {
    const place = placeText(path, text, nameAt);
    const earlier = lines.get(name);
    lines.set(name, placeOf(text, nameAt).line);
    if (!isSetting(name))
      mistakes.push(`${place}: ${JSON.stringify(name)} is not a setting; ${suggestName(name, { spell: String })}`);
    else if (earlier !== undefined) mistakes.push(`${place}: ${name} is set twice, first in line ${earlier}`);
    else settings.push({ name, value: parseJson(value), origin: originAt(path, text, valueAt) });
  }
  return { settings, mistakes };
}

interface Fault {
  readonly at: number;
  readonly reason: string;
}

function faultOf(text: string): Fault | undefined {
  const bytes = Buffer.from(text);
  const byte = jsonFaultAt(bytes, LEVELS_MAX);
  if (byte !== undefined) {
    const at = bytes.toString("utf8", 0, byte).length;
    return { at, reason: `this is not valid JSON: ${reasonAt(text, at)}` };
  }
  const start = text.search(/\S/);
  return text[start] === "{" ? undefined : { at: start, reason: "must be one JSON object with the settings by name" };
}

/** Returns the reason why JSON can't continue at a place. */
function reasonAt(text: string, at: number): string {
  const char = text[at];
  const before = text.slice(0, at).trimEnd().at(-1) ?? "";
  if ((char === "{" || char === "[") && isDeeperThan(text, LEVELS_MAX)) return `more than ${LEVELS_MAX} levels`;
  if (char === undefined) return before === "" ? "the file is empty" : "the end is missing";
  if (char === "/" || char === "#") return "JSON has no comments";
  if (char === "'") return "names and texts have double quotes";
  if ((char === "}" || char === "]") && before === ",") return "the comma before it is not allowed";
  if (char !== '"') return "a character that does not belong here";
  return /[[{,:]/.test(before) ? "this text does not end, or has a wrong escape" : "a comma is missing before it";
}

interface Place {
  readonly line: number;
  readonly column: number;
}

function placeOf(text: string, at: number): Place {
  const before = text.slice(0, at).split("\n");
  return { line: before.length, column: (before.at(-1) ?? "").length + 1 };
}

function placeText(path: string, text: string, at: number): string {
  const { line, column } = placeOf(text, at);
  return `${path}:${line}:${column}`;
}

function originAt(file: string, text: string, at: number): Origin {
  return { source: "file", file, ...placeOf(text, at) };
}
