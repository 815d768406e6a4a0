import { readFileSync } from "node:fs";
import { RESOURCE_KINDS, type ApiCommand, type Route } from "@mooring/contract";
import { CommandError, ExitCode, UsageError, type Option, type Parsed } from "../command.ts";
import { RESOURCE_OPTIONS, resourcesOf } from "../resources.ts";

/** A member of the query or the body, as an option of the command line. */
export interface Field {
  /** Its name in the request. */
  readonly name: string;
  readonly option: Option;
  readonly place: "query" | "body";
  readonly isRequired: boolean;
  /** Whether `true` and `false` are given by `--x` and `--no-x`. */
  readonly isFlag: boolean;
  readonly schema: Schema;
}

/** The parts of a JSON schema that the command line reads. */
export interface Schema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly description?: string;
}

export interface ApiRequest {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  /** Undefined: the operation has no body. */
  readonly body: unknown;
}

/** Other users of the machine can see a command line, so a secret is given in `--input` only. */
const SECRETS: ReadonlySet<string> = new Set(["secret", "password", "token", "assertion", "verify_token"]);
/** The command itself reads page after page. */
const OF_PAGES: ReadonlySet<string> = new Set(["cursor", "limit", "offset"]);
const WORDS_SHOWN_MAX = 12;

/** Returns the names of the path's parameters, in order. */
export function paramsOf({ path }: Pick<Route, "path">): readonly string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
}

/** Whether the answers of the operation have pages. */
export function isList({ query, method }: Route): boolean {
  const names = Object.keys(query?.properties ?? {});
  return method === "GET" && names.includes("limit") && (names.includes("cursor") || names.includes("offset"));
}

/** Returns the options of the kinds of resources to which the operation can limit a credential. */
export function resourceOptionsOf({ body }: { readonly body?: Schema }): readonly Option[] {
  const { resources } = body?.properties ?? {};
  const kinds = resources?.anyOf?.find(({ properties }) => properties !== undefined)?.properties ?? {};
  return RESOURCE_KINDS.filter((kind) => Object.hasOwn(kinds, kind)).map((kind) => RESOURCE_OPTIONS[kind]);
}

export function fieldsOf(row: Route): readonly Field[] {
  const query = (row.query ?? {}) as Schema;
  const body = (row.rawBody === true ? {} : (row.body ?? {})) as Schema;
  const skipped = isList(row) ? OF_PAGES : new Set<string>();
  return [...fieldsIn(query, "query").filter(({ name }) => !skipped.has(name)), ...fieldsIn(body, "body")];
}

function fieldsIn(schema: Schema, place: Field["place"]): Field[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    if (SECRETS.has(name)) return [];
    const isFlag = typesOf(member).has("boolean") && typesOf(member).size === 1;
    const isRequired = schema.required?.includes(name) === true;
    const description = `${descriptionOf(member)}${isRequired ? " (required)" : ""}`.trim();
    const value = isFlag ? {} : { value: valueNameOf(name, member) };
    const option = { name: optionName(name), ...value, multiple: typesOf(member).has("array"), description };
    return [{ name, option, place, isRequired, isFlag, schema: member }];
  });
}

/** `--url` is the address of the server. */
function optionName(name: string): string {
  return name === "url" ? "target-url" : name.replaceAll("_", "-");
}

/** Returns the JSON types that a schema allows. */
function typesOf(schema: Schema): ReadonlySet<string> {
  if (schema.anyOf !== undefined) return new Set(schema.anyOf.flatMap((one) => [...typesOf(one)]));
  if (schema.type !== undefined) return new Set([schema.type]);
  return new Set((schema.enum ?? [schema.const]).map((value) => (value === null ? "null" : typeof value)));
}

function choicesOf(schema: Schema): readonly string[] {
  const parts = schema.anyOf ?? [schema.items ?? schema];
  return parts
    .flatMap((part) => part.enum ?? (part.const === undefined ? [] : [part.const]))
    .filter((one) => typeof one === "string");
}

function valueNameOf(name: string, schema: Schema): string {
  const types = typesOf(schema);
  if (isJson(schema)) return "JSON";
  if (types.has("integer") || types.has("number")) return "N";
  return (name.split("_").at(-1) ?? name).toUpperCase();
}

function descriptionOf(schema: Schema): string {
  const choices = choicesOf(schema);
  const listed =
    choices.length === 0
      ? ""
      : choices.slice(0, WORDS_SHOWN_MAX).join(", ") + (choices.length > WORDS_SHOWN_MAX ? ", …" : "");
  const words = [schema.description, listed, typesOf(schema).has("null") ? "null: none" : ""];
  const text = words.filter((word) => word !== undefined && word !== "").join("; ");
  return typesOf(schema).has("array") && !isJson(schema) ? `${text === "" ? "" : `${text}; `}repeatable` : text;
}

/** Whether values are written as JSON: objects, and lists of them. */
function isJson(schema: Schema): boolean {
  const types = typesOf(schema);
  if (types.has("object")) return true;
  const items = schema.items ?? schema.anyOf?.find(({ items: inner }) => inner !== undefined)?.items;
  return types.has("array") && items !== undefined && typesOf(items).has("object");
}

/**
 * Returns the request of a command line. Options override the members of `--input`.
 * @throws UsageError, CommandError
 */
export function requestOf({ row, noun, verb }: ApiCommand, parsed: Parsed, input: unknown): ApiRequest {
  const names = paramsOf(row);
  const words = parsed.positionals;
  if (words.length !== names.length) {
    const usage = [noun, verb, ...names.map(wordName)].join(" ");
    throw new UsageError(
      `${words.length < names.length ? `${wordName(names[words.length] ?? "")} is missing` : `unexpected: ${words.slice(names.length).join(" ")}`}; usage: mooring ${usage}`,
    );
  }
  const params = Object.fromEntries(names.map((name, i) => [name, words[i] ?? ""]));
  const fields = fieldsOf(row);
  const given = (place: Field["place"]): Record<string, unknown> =>
    Object.fromEntries(fields.filter((field) => field.place === place).flatMap((field) => valueOf(field, parsed)));
  const query = given("query");
  if (row.body === undefined || row.rawBody === true) return { params, query, body: undefined };
  const body = { ...objectOf(input), ...given("body"), ...resourcesIn(row, parsed) };
  const missing = fields.filter(
    ({ name, place, isRequired }) => place === "body" && isRequired && !Object.hasOwn(body, name),
  );
  if (missing.length > 0)
    throw new UsageError(
      `${missing.map(({ option }) => `--${option.name}`).join(", ")} ${missing.length === 1 ? "is" : "are"} missing`,
    );
  return { params, query, body };
}

/** Returns the member `resources`, if options name resources. @throws UsageError */
function resourcesIn(row: Route, parsed: Parsed): object {
  const resources = resourceOptionsOf(row).length === 0 ? undefined : resourcesOf(parsed);
  if (resources === undefined) return {};
  if (parsed.values["resources"] !== undefined)
    throw new UsageError("name the resources by --resources or by their own options, not both");
  return { resources };
}

/** Returns the name of a path parameter in usages: `project_id` becomes `PROJECT`. */
export function wordName(param: string): string {
  return param.replace(/_id$/, "").replaceAll("_", "-").toUpperCase();
}

function objectOf(input: unknown): object {
  if (input === undefined) return {};
  if (typeof input === "object" && input !== null && !Array.isArray(input)) return input;
  throw new UsageError("--input must have a JSON object");
}

/** Returns the member, if its option was given. @throws UsageError */
function valueOf({ name, option, schema, isFlag }: Field, parsed: Parsed): [string, unknown][] {
  const value = parsed.values[option.name];
  if (value === undefined) return [];
  if (isFlag) return [[name, value === true]];
  if (isJson(schema))
    return [[name, jsonOf(option.name, Array.isArray(value) ? value.map(String) : [String(value)], schema)]];
  if (!Array.isArray(value)) return [[name, scalarOf(option.name, String(value), schema)]];
  const words = value.map(String);
  if (typesOf(schema).has("null") && words.length === 1 && words[0] === "null") return [[name, null]];
  return [
    [
      name,
      words.flatMap((word) =>
        choicesOf(schema).length > 0 ? word.split(/[\s,]+/).filter((one) => one !== "") : [word],
      ),
    ],
  ];
}

function jsonOf(option: string, texts: readonly string[], schema: Schema): unknown {
  const values = texts.map((text) => {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      throw new UsageError(`--${option} must be JSON, not ${JSON.stringify(text.slice(0, 80))}`);
    }
  });
  const [only] = values;
  if (values.length === 1 && (Array.isArray(only) || !typesOf(schema).has("array") || typesOf(schema).has("object")))
    return only;
  return values;
}

function scalarOf(option: string, text: string, schema: Schema): unknown {
  const types = typesOf(schema);
  if (types.has("null") && text === "null") return null;
  if (types.has("boolean") && (text === "true" || text === "false")) return text === "true";
  if (types.has("integer") || types.has("number")) {
    const value = Number(text);
    if (text.trim() !== "" && Number.isFinite(value) && (types.has("number") || Number.isInteger(value))) return value;
    throw new UsageError(`--${option} must be a number, not ${JSON.stringify(text)}`);
  }
  const choices = choicesOf(schema);
  if (choices.length === 0 || choices.includes(text)) return text;
  throw new UsageError(`--${option} must be one of ${choices.join(", ")}, not ${JSON.stringify(text)}`);
}

/** Reads the JSON of `--input`: a file, or `-` for standard input. @throws CommandError */
export function readInput(file: string | undefined): unknown {
  if (file === undefined) return undefined;
  try {
    return JSON.parse(readFileSync(file === "-" ? 0 : file, "utf8"));
  } catch (error) {
    // A parser's message could contain a secret.
    const cause = error instanceof SyntaxError ? "it is not JSON" : (error as Error).message;
    throw new CommandError(`cannot read ${file === "-" ? "standard input" : file}: ${cause}`, ExitCode.usage);
  }
}
