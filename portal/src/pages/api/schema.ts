import type { ApiDocument, Schema } from "./document.ts";

/** One member of a body. */
export interface SchemaRow {
  /** The path of names from the root. `[]` means each item, `{name}` each member of an object with free names. */
  readonly place: string;
  readonly depth: number;
  readonly type: string;
  readonly isRequired: boolean;
  readonly about: string;
}

const DEPTH_MAX = 8;

/** Returns the members of a schema. Each member comes before its nested members. */
export function rowsOf(schema: Schema, document: Pick<ApiDocument, "components">): readonly SchemaRow[] {
  const rows: SchemaRow[] = [];
  const visit = (given: Schema, at: { place: string; depth: number; isRequired: boolean }): void => {
    const each = resolved(given, document);
    if (at.place !== "") rows.push({ ...at, type: typeOf(each, document), about: aboutOf(each) });
    if (at.depth < DEPTH_MAX) for (const member of membersOf(each, document)) visit(member.schema, below(at, member));
  };
  visit(schema, { place: "", depth: -1, isRequired: true });
  return rows;
}

interface Member {
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
}

function below({ place, depth }: { place: string; depth: number }, { name, isRequired }: Member) {
  const separator = place === "" || name === "[]" ? "" : ".";
  return { place: place + separator + name, depth: depth + 1, isRequired };
}

/** Returns the members of an object, the items of an array, and the members of each alternative. */
function membersOf(schema: Schema, document: Pick<ApiDocument, "components">): readonly Member[] {
  const required = new Set(schema.required);
  const { additionalProperties: others } = schema;
  return [
    ...Object.entries(schema.properties ?? {}).map(([name, each]) => ({
      name,
      schema: each,
      isRequired: required.has(name),
    })),
    ...Object.values(schema.patternProperties ?? {}).map((each) => ({
      name: "{name}",
      schema: each,
      isRequired: false,
    })),
    ...(typeof others === "object" ? [{ name: "{name}", schema: others, isRequired: false }] : []),
    ...(schema.items === undefined ? [] : itemsOf(schema.items, document)),
    ...(schema.anyOf ?? []).flatMap((each) => membersOf(resolved(each, document), document)),
  ];
}

/** Returns the items of an array if they have members. The array's row has the type of other items. */
function itemsOf(items: Schema, document: Pick<ApiDocument, "components">): readonly Member[] {
  const each = resolved(items, document);
  return membersOf(each, document).length === 0 ? [] : [{ name: "[]", schema: each, isRequired: true }];
}

/** Describes a type: `string`, `integer or null`, `array of string`, `"a" or "b"`. */
export function typeOf(given: Schema, document: Pick<ApiDocument, "components">): string {
  const schema = resolved(given, document);
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map((each) => typeOf(each, document)))].join(" or ");
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" or ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const type = typeof schema.type === "string" ? schema.type : (schema.type?.join(" or ") ?? "any");
  if (type === "array" && schema.items !== undefined) return `array of ${typeOf(schema.items, document)}`;
  return schema.format === undefined ? type : `${type} (${schema.format})`;
}

/** Returns the description of a schema, with its bounds. */
export function aboutOf(schema: Schema): string {
  const { minimum: from, maximum: to, minLength, maxLength, minItems, maxItems } = schema;
  const bounds = [
    rangeOf(from, to, ""),
    rangeOf(minLength, maxLength, " characters"),
    rangeOf(minItems, maxItems, " items"),
    schema.default === undefined ? "" : `default ${JSON.stringify(schema.default)}`,
  ].filter((text) => text !== "");
  const own = schema.description ?? schema.anyOf?.find(({ description }) => description !== undefined)?.description;
  return [own ?? "", bounds.join("; ")].filter((text) => text !== "").join(" · ");
}

function rangeOf(from: number | undefined, to: number | undefined, unit: string): string {
  const max = to === Number.MAX_SAFE_INTEGER ? undefined : to;
  if (max === undefined) return from === undefined || from === 0 ? "" : `at least ${from}${unit}`;
  return from === undefined ? `at most ${max}${unit}` : `${from} to ${max}${unit}`;
}

export function resolved(schema: Schema, { components }: Pick<ApiDocument, "components">): Schema {
  const name = schema.$ref?.replace("#/components/schemas/", "");
  return name === undefined ? schema : (components.schemas[name] ?? {});
}
