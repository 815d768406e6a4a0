import { Compile } from "typebox/compile";
import { Format } from "typebox/format";
import { Settings } from "typebox/system";
import type { TObject, TSchema } from "typebox";
import { PROBLEM_PLACES_MAX } from "#kernel/limits.ts";
import { isDateTime } from "#kernel/time.ts";
import { sizeFaultOf } from "./json-limits.ts";
import { Problem, type ProblemCode, type ProblemPlace } from "#kernel/problem.ts";

/** Checks a value against a compiled schema and returns it. @throws Problem with JSON pointers */
export type Check = (value: unknown) => unknown;

/** Validates a JSON body. The problem has JSON pointers into it. */
export function bodyCheck(schema: TSchema): Check {
  return checkOf(schema, "invalid_body", "The body does not have the form that this operation requires.");
}

/**
 * Validates path or query parameters. Their values are text: exact integers and booleans are converted if the schema
 * requires it, and the schema refuses other text. Defaults are filled in.
 */
export function parameterCheck(schema: TObject): Check {
  const check = checkOf(schema, "invalid_parameter", "A parameter is not valid.");
  const properties = Object.entries(schema.properties as Record<string, { type?: string; default?: unknown }>);
  return (value) => {
    const given: Record<string, unknown> = { ...(value as Record<string, unknown>) };
    for (const [name, property] of properties) {
      const text = given[name];
      if (text === undefined && property.default !== undefined) given[name] = property.default;
      else if (typeof text === "string") given[name] = converted(text, property.type);
    }
    return check(given);
  };
}

function converted(text: string, type: string | undefined): unknown {
  if (type === "integer" && /^-?[0-9]+$/.test(text)) return exactInteger(text);
  if (type === "boolean" && (text === "true" || text === "false")) return text === "true";
  return text;
}

/** Replaces an integer that a double can't hold by the nearest safe one, which is above every limit, too. */
function exactInteger(text: string): number {
  return Math.min(Math.max(Number(text), Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER);
}

function checkOf(schema: TSchema, code: ProblemCode, detail: string): Check {
  // TypeBox stops after 8 errors; each unknown member takes two (see `placesOfOne`).
  Settings.Set({ maxErrors: 3 * PROBLEM_PLACES_MAX });
  // TypeBox's own check accepts only RFC 3339.
  Format.Set("date-time", isDateTime);
  const compiled = Compile(schema);
  return (value) => {
    const fault = sizeFaultOf(schema, value);
    if (fault !== undefined) throw new Problem(code, detail, { errors: [fault] });
    if (compiled.Check(value)) return value;
    throw new Problem(code, detail, { errors: placesOf(schema, compiled.Errors(value)) });
  };
}

interface SchemaError {
  keyword: string;
  /** A JSON pointer into the schema, after a `#`. */
  schemaPath: string;
  instancePath: string;
  message: string;
  params: object;
}

function placesOf(schema: TSchema, errors: readonly SchemaError[]): ProblemPlace[] {
  const places = new Map<string, ProblemPlace>();
  for (const error of errors) {
    // For a nullable value that is not null, only the errors of its members count.
    if (isNullable(error) && [...places.keys()].some((pointer) => pointer.startsWith(`${error.instancePath}/`)))
      continue;
    for (const place of placesOfOne(schema, error)) {
      // The first error of a place is the most exact one.
      if (!places.has(place.pointer)) places.set(place.pointer, place);
    }
    if (places.size >= PROBLEM_PLACES_MAX) break;
  }
  return [...places.values()].slice(0, PROBLEM_PLACES_MAX);
}

function isNullable({ keyword, params }: SchemaError): boolean {
  return keyword === "anyOf" || (keyword === "type" && (params as { type?: unknown }).type === "null");
}

function placesOfOne(schema: TSchema, error: SchemaError): ProblemPlace[] {
  if (error.keyword === "required") {
    const { requiredProperties } = error.params as { requiredProperties: string[] };
    return requiredProperties.map((name) => ({
      pointer: `${error.instancePath}/${escaped(name)}`,
      detail: "is required",
    }));
  }
  if (error.keyword === "additionalProperties") {
    const { additionalProperties } = error.params as { additionalProperties: string[] };
    return additionalProperties.map((name) => ({
      pointer: `${error.instancePath}/${escaped(name)}`,
      detail: "is not a member of this object",
    }));
  }
  // `additionalProperties: false` reports each property a second time as a false schema.
  if (error.keyword === "boolean") return [];
  return [{ pointer: error.instancePath, detail: detailOf(schema, error) }];
}

function detailOf(schema: TSchema, { keyword, schemaPath, message, params }: SchemaError): string {
  if (keyword === "enum") return `must be one of ${(params as { allowedValues: unknown[] }).allowedValues.join(", ")}`;
  const described = keyword === "pattern" ? descriptionAt(schema, schemaPath) : undefined;
  return described === undefined ? message : `${message}: ${described}`;
}

/** Returns the contract's description of the schema part that an error is about. */
function descriptionAt(schema: TSchema, path: string): string | undefined {
  let place: unknown = schema;
  for (const part of path.split("/").slice(1)) {
    const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof place !== "object" || place === null || !Object.hasOwn(place, name)) return undefined;
    place = (place as Record<string, unknown>)[name];
  }
  const { description } = place as { description?: unknown };
  return typeof description === "string" ? description : undefined;
}

/** Escapes a name for a JSON pointer (RFC 6901 section 3). */
function escaped(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}
