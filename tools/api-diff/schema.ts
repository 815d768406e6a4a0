/** The parts of JSON Schema 2020-12 that the contract uses. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  /** Later versions may add values, as the documentation says. */
  readonly "x-open-enum"?: boolean;
  readonly [keyword: string]: unknown;
}

/** The server must still accept every old request. A caller must still understand every answer. */
export type Direction = "request" | "answer";

interface Pair {
  readonly before: Schema;
  readonly after: Schema;
  readonly direction: Direction;
  readonly place: string;
}

/** Returns the changes that break callers, one line each. The schemas have no references. */
export function schemaBreaks({ before, after, direction, place }: Pair): string[] {
  const [old, now] = [before.anyOf ?? [before], after.anyOf ?? [after]];
  // A new form must accept each old form of a request. An old form must allow each new form of an answer.
  const [all, any] = direction === "request" ? [old, now] : [now, old];
  return all.flatMap((each) => {
    const tries = any.map((other) => {
      const [from, to] = direction === "request" ? [each, other] : [other, each];
      const pair = { before: from, after: to, direction, place };
      // Two new values of an enumeration are closer to it than another type is.
      return { breaks: oneForm(pair), isOtherType: typeBreak(pair) !== null };
    });
    const [best] = tries.toSorted(
      (a, b) => Number(a.isOtherType) - Number(b.isOtherType) || a.breaks.length - b.breaks.length,
    );
    return best?.breaks ?? [`${place}: no form remains`];
  });
}

function oneForm(pair: Pair): string[] {
  const type = typeBreak(pair);
  if (type !== null) return [`${pair.place}: ${type}`];
  return [...valueBreaks(pair), ...boundBreaks(pair), ...memberBreaks(pair), ...openBreaks(pair), ...itemBreaks(pair)];
}

function typeBreak({ before, after, direction }: Pair): string | null {
  const [from, to] = [typeOf(before), typeOf(after)];
  if (from === to) return null;
  const [narrow, wide] = direction === "request" ? [from, to] : [to, from];
  if (wide === "any" || (narrow === "integer" && wide === "number")) return null;
  return `the type ${from} became ${to}`;
}

function typeOf({ type, enum: values, const: value }: Schema): string {
  if (type !== undefined) return type;
  const [first] = values ?? (value === undefined ? [] : [value]);
  return first === undefined ? "any" : first === null ? "null" : typeof first;
}

function valueBreaks({ before, after, direction, place }: Pair): string[] {
  const [from, to] = [valuesOf(before), valuesOf(after)];
  if (from === null && to === null) return [];
  if (direction === "request") {
    if (to === null) return [];
    if (from === null) return [`${place}: only some values are now accepted`];
    return from.filter((value) => !to.includes(value)).map((value) => `${place}: the value ${value} is now refused`);
  }
  if (from === null || before["x-open-enum"] === true) return [];
  if (to === null) return [`${place}: any value is now possible`];
  return to.filter((value) => !from.includes(value)).map((value) => `${place}: the value ${value} is now possible`);
}

function valuesOf({ enum: values, const: value }: Schema): readonly string[] | null {
  if (values !== undefined) return values.map((each) => JSON.stringify(each));
  return value === undefined ? null : [JSON.stringify(value)];
}

const LOWEST = ["minimum", "minLength", "minItems", "minProperties"];
const HIGHEST = ["maximum", "maxLength", "maxItems", "maxProperties"];

/** Bounds matter in requests only. Formats and patterns matter in answers, too. */
function boundBreaks({ before, after, direction, place }: Pair): string[] {
  const found: string[] = [];
  if (before.format !== after.format && (direction === "answer" || after.format !== undefined))
    found.push(`${place}: the format ${String(before.format)} became ${String(after.format)}`);
  if (direction === "answer") return found;
  if (after.pattern !== undefined && after.pattern !== before.pattern) found.push(`${place}: the pattern is different`);
  const bound = (schema: Schema, name: string, absent: number): number => Number(schema[name] ?? absent);
  for (const name of LOWEST)
    if (bound(after, name, -Infinity) > Math.max(bound(before, name, -Infinity), name === "minimum" ? -Infinity : 0))
      found.push(`${place}: ${name} is greater`);
  for (const name of HIGHEST)
    if (bound(after, name, Infinity) < bound(before, name, Infinity)) found.push(`${place}: ${name} is smaller`);
  return found;
}

function memberBreaks({ before, after, direction, place }: Pair): string[] {
  const [from, to] = [before.properties ?? {}, after.properties ?? {}];
  const [wasRequired, isRequired] = [new Set(before.required), new Set(after.required)];
  const found = Object.entries(from).flatMap(([name, schema]) => {
    const at = `${place}.${name}`;
    const now = to[name];
    if (now === undefined) return [`${at}: the member was removed`];
    const gone = direction === "answer" && wasRequired.has(name) && !isRequired.has(name);
    return [
      ...(gone ? [`${at}: the member may now be absent`] : []),
      ...schemaBreaks({ before: schema, after: now, direction, place: at }),
    ];
  });
  if (direction === "request")
    for (const name of isRequired)
      if (!wasRequired.has(name)) found.push(`${place}.${name}: the member is now required`);
  return found;
}

/** Compares the rules for members that the schema does not name. */
function openBreaks({ before, after, direction, place }: Pair): string[] {
  const [from, to] = [openMembers(before), openMembers(after)];
  if (direction === "request" && from !== null && to === null) return [`${place}: other members are now refused`];
  if (from === null || to === null) return [];
  return schemaBreaks({ before: from, after: to, direction, place: `${place}.{name}` });
}

/** Returns the schema of other members; null if they are refused. */
function openMembers({ patternProperties, additionalProperties: others, type }: Schema): Schema | null {
  const [pattern] = Object.values(patternProperties ?? {});
  if (pattern !== undefined) return pattern;
  if (type !== "object" || others === false) return null;
  return typeof others === "object" ? others : {};
}

function itemBreaks({ before, after, direction, place }: Pair): string[] {
  if (before.items === undefined || after.items === undefined) return [];
  return schemaBreaks({ before: before.items, after: after.items, direction, place: `${place}[]` });
}
