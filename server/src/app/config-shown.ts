import type { TSchema } from "typebox";
import { SETTING_NAMES, settingOf, type Config, type Setting } from "./settings.ts";

const NOT_SHOWN = "(set, not shown)";
const HIDDEN = "(hidden)";
const TEXT_CHARS_MAX = 200;

/** The settings for people and logs: secrets are replaced, also those within addresses. */
export function shownConfig(config: Config): Record<string, unknown> {
  return Object.fromEntries(SETTING_NAMES.map((name) => [name, shownValue(settingOf(name), config[name])]));
}

function shownValue({ secret, secretUrl }: Setting, value: unknown): unknown {
  if (secret !== true || value === null) return withoutUserInfo(value);
  return secretUrl === true && typeof value === "string" ? shownUrl(value) : NOT_SHOWN;
}

/** A host, or several; port; path. */
const PLAIN_URL = /^[a-z]+:\/\/(\(hidden\)@)?(\[[0-9a-f:.]+\]|[\w.-]*)(:\d{1,5})?(,[\w.-]+(:\d{1,5})?)*(\/[^?#@]*)?$/i;

/**
 * Shows where an address leads. Everything up to the last @ may be a password, even if it has characters that a URL
 * must escape.
 */
function shownUrl(url: string): string {
  const [address = "", ...query] = String(withoutUserInfo(url)).split("?");
  if (!PLAIN_URL.test(address)) return NOT_SHOWN;
  return query.length === 0 ? address : `${address}?${HIDDEN}`;
}

/** Hides user and password in each address of a text or a list. */
function withoutUserInfo(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutUserInfo);
  return typeof value === "string" ? value.replace(/:\/\/[^]*@/, `://${HIDDEN}@`) : value;
}

/** Returns a wrong value for a message. */
export function shownMistake({ secret }: Setting, value: unknown): string {
  if (secret === true) return "the value";
  const text = JSON.stringify(value).replaceAll(/:\/\/(?:[^"\\]|\\.)*@/g, `://${HIDDEN}@`);
  return text.length > TEXT_CHARS_MAX ? `${text.slice(0, TEXT_CHARS_MAX)}…` : text;
}

/** Returns the rule for a setting's value in words; undefined when its schema says it better. */
export function ruleOf({ form, schema }: Setting): string | undefined {
  if (form !== undefined) return `must be ${form}`;
  const { type, minimum, maximum } = integerIn(schema) ?? {};
  return type === undefined ? undefined : `must be a whole number from ${minimum} to ${maximum}`;
}

interface IntegerSchema {
  readonly type?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly anyOf?: readonly IntegerSchema[];
}

function integerIn(schema: TSchema): IntegerSchema | undefined {
  const one = schema as IntegerSchema;
  return [one, ...(one.anyOf ?? [])].find(({ type }) => type === "integer");
}
