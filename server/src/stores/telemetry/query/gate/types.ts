import { isObject, Refusal, textOf } from "./refusal.ts";

/** The types that a cast may name. VARIANT is not allowed, because DuckDB 1.5.5 overflows its stack on deep values. */
const TYPES: ReadonlySet<string> = new Set([
  ..."BOOLEAN TINYINT SMALLINT INTEGER BIGINT HUGEINT UTINYINT USMALLINT UINTEGER UBIGINT UHUGEINT FLOAT DOUBLE DECIMAL BIGNUM VARCHAR CHAR".split(
    " ",
  ),
  ..."BLOB BIT DATE TIME TIME_NS TIMESTAMP TIMESTAMP_S TIMESTAMP_MS TIMESTAMP_NS INTERVAL UUID LIST ARRAY MAP STRUCT UNION NULL".split(
    " ",
  ),
  "TIME WITH TIME ZONE",
  "TIMESTAMP WITH TIME ZONE",
  "INTEGER_LITERAL",
  "STRING_LITERAL",
]);

/** Types that the parser does not know, and that are looked up by name. */
const NAMED_TYPES: ReadonlySet<string> = new Set(["json", "enum", "list"]);

const KEYS: ReadonlySet<string> = new Set(["id", "type_info"]);
const INFO_KEYS: ReadonlySet<string> = new Set(
  "type alias extension_info child_type child_types size width scale name catalog schema user_type_modifiers collation".split(
    " ",
  ),
);

/**
 * Checks the type of a cast.
 * @throws Refusal
 */
export function checkType(type: unknown): void {
  if (!isObject(type)) throw new Refusal("a cast to a type that is not a plain type");
  for (const key of Object.keys(type)) if (!KEYS.has(key)) throw new Refusal(`a type with ${key}`);
  const id = String(type["id"]);
  const info = type["type_info"];
  if (id === "UNBOUND") return checkNamedType(info);
  if (!TYPES.has(id))
    throw new Refusal(
      `the type ${id}`,
      "cast to one of the plain types, for example VARCHAR, BIGINT, DOUBLE, TIMESTAMPTZ or JSON",
    );
  if (info !== null && info !== undefined) checkInfo(info, id);
}

function checkNamedType(info: unknown): void {
  const name = isObject(info) ? String(info["name"]) : "";
  if (!isObject(info) || !NAMED_TYPES.has(name.toLowerCase())) {
    throw new Refusal(
      `the type ${name}`,
      "cast to one of the plain types, for example VARCHAR, BIGINT, DOUBLE, TIMESTAMPTZ or JSON",
    );
  }
  if (info["catalog"] || info["schema"]) throw new Refusal(`the type ${name} of another schema`);
  checkInfo(info, name);
}

function checkInfo(info: unknown, id: string): void {
  if (!isObject(info)) throw new Refusal(`the type ${id} in this form`);
  for (const key of Object.keys(info)) if (!INFO_KEYS.has(key)) throw new Refusal(`the type ${id} with ${key}`);
  if (info["extension_info"]) throw new Refusal(`the type ${id} with an extension`);
  if (info["type"] === "GENERIC_TYPE_INFO" && info["alias"]) throw new Refusal(`the type ${textOf(info["alias"])}`);
  if (info["child_type"] !== undefined) checkType(info["child_type"]);
  const children: unknown = info["child_types"];
  if (!Array.isArray(children)) return;
  for (const child of children as unknown[]) checkType(isObject(child) ? child["second"] : undefined);
}
