import type { FastifyInstance } from "fastify";
import type { TSchema } from "typebox";
import { decodeUtf8 } from "#kernel/decoding.ts";
import { exceeds } from "#kernel/json-size.ts";
import { JSON_DEPTH_MAX, JSON_VALUES_MAX } from "#kernel/limits.ts";
import { Problem, type ProblemPlace } from "#kernel/problem.ts";

/** Measures JSON bodies before they are parsed, because a few bytes can take much memory and block the event loop. */
export function limitJson(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser("error", "error");
  app.removeContentTypeParser("application/json");
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (request, body, done) => {
    const bytes = body as Buffer;
    const fault = exceeds(bytes, { depthMax: JSON_DEPTH_MAX, valuesMax: JSON_VALUES_MAX });
    const text = fault === undefined ? decodeUtf8(bytes) : undefined;
    if (text !== undefined) void parse(request, text, done);
    else if (fault === undefined) done(new Problem("invalid_body", "The body is not valid UTF-8."));
    else done(new Problem("invalid_body", fault === "depth" ? TOO_DEEP : TOO_MANY));
  });
}

const TOO_DEEP = `The body is nested deeper than ${JSON_DEPTH_MAX}.`;
const TOO_MANY = `The body has more than ${JSON_VALUES_MAX} values.`;

interface Shape {
  readonly type?: string;
  readonly anyOf?: readonly Shape[];
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly items?: Shape;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly additionalProperties?: unknown;
}

/** The most items of a list with unique items and no limit in its schema. Every item is compared with every other. */
const UNIQUE_ITEMS_MAX = 100;
const UNKNOWN_MEMBERS_MAX = 100;

/**
 * Finds a list that is longer than its schema allows, or an object with too many unknown members. The validator would
 * first check every item and compare all items that must differ. With 260,000 items this took minutes.
 */
export function sizeFaultOf(schema: TSchema, value: unknown): ProblemPlace | undefined {
  return faultAt(schema, value, "");
}

function faultAt(schema: Shape, value: unknown, pointer: string): ProblemPlace | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const type = Array.isArray(value) ? "array" : "object";
  const shapes = branchesOf(schema).filter((shape) => shape.type === type);
  const faults = shapes.map((shape) =>
    Array.isArray(value) ? faultOfList(shape, value, pointer) : faultOfObject(shape, value, pointer),
  );
  return faults.every((fault) => fault !== undefined) ? faults[0] : undefined;
}

function branchesOf(schema: Shape): readonly Shape[] {
  return schema.anyOf === undefined ? [schema] : schema.anyOf.flatMap(branchesOf);
}

function faultOfList(shape: Shape, list: readonly unknown[], pointer: string): ProblemPlace | undefined {
  const max = shape.maxItems ?? (shape.uniqueItems === true ? UNIQUE_ITEMS_MAX : Number.POSITIVE_INFINITY);
  if (list.length > max) return { pointer, detail: `must not have more than ${max} items` };
  const { items } = shape;
  if (items === undefined) return undefined;
  for (const [index, item] of list.entries()) {
    const fault = faultAt(items, item, `${pointer}/${index}`);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function faultOfObject(shape: Shape, value: object, pointer: string): ProblemPlace | undefined {
  const { properties = {}, additionalProperties } = shape;
  for (const [name, property] of Object.entries(properties)) {
    const member = (value as Record<string, unknown>)[name];
    const fault = Object.hasOwn(value, name) ? faultAt(property, member, `${pointer}/${name}`) : undefined;
    if (fault !== undefined) return fault;
  }
  const unknown = Object.keys(value).length - Object.keys(properties).length;
  if (additionalProperties !== false || unknown <= UNKNOWN_MEMBERS_MAX) return undefined;
  return { pointer, detail: `has more than ${UNKNOWN_MEMBERS_MAX} members that are not known` };
}
