import { copyOf, isObject, type Evaluate, type Json } from "../gate/index.ts";
import { renderList } from "./render.ts";
import { eachSelect, listOf, someNode } from "./tree.ts";

type Mutable = Record<string, unknown>;

/** An item of a select list without an alias. Its column is named after its text. */
export interface Unnamed {
  readonly list: Mutable[];
  readonly index: number;
  readonly written: Json;
}

/** Returns the items without an alias that contain a matching node. */
export function unnamedItems(statement: Json, holds: (node: Json) => boolean): Unnamed[] {
  const found: Unnamed[] = [];
  eachSelect(statement, (select) => {
    const list = listOf(select["select_list"]) as Mutable[];
    for (const [index, item] of list.entries()) {
      if (item["alias"] || item["class"] === "STAR" || !someNode(item, holds)) continue;
      found.push({ list, index, written: copyOf(item) });
    }
  });
  return found;
}

/** Gives a rewritten item the name that it had before. */
export async function keepNames(items: readonly Unnamed[], evaluate: Evaluate): Promise<void> {
  const changed = items.filter(({ list, index, written }) => JSON.stringify(list[index]) !== JSON.stringify(written));
  if (changed.length === 0) return;
  const names = await renderList(
    changed.map(({ written }) => withNamesOfTypes(written)),
    evaluate,
  );
  for (const [i, { list, index }] of changed.entries()) (list[index] as Mutable)["alias"] = names[i];
}

/** Types that have the same name in column names and in rendered statements. */
const SAME: ReadonlySet<string> = new Set(
  "BOOLEAN SMALLINT INTEGER BIGINT FLOAT VARCHAR TIME TIMESTAMP INTERVAL".split(" "),
);
/** Types that are quoted in column names, because the parser leaves them to the binder, as user-defined types. */
const QUOTED: ReadonlySet<string> = new Set(
  [
    "TINYINT HUGEINT UHUGEINT UTINYINT USMALLINT UINTEGER UBIGINT DOUBLE BLOB UUID DATE TIMESTAMP_S TIMESTAMP_MS TIMESTAMP_NS".split(
      " ",
    ),
    "TIME WITH TIME ZONE",
    "TIMESTAMP WITH TIME ZONE",
  ].flat(),
);

/**
 * Returns whether the names of items can be computed. The engine writes some types differently in names and in statements.
 */
export function canBeNamed(items: readonly Unnamed[]): boolean {
  const isOdd = ({ class: kind, cast_type: type }: Json): boolean =>
    kind === "CAST" && !(isObject(type) && !type["type_info"] && isKnown(String(type["id"])));
  return !items.some(({ written }) => someNode(written, isOdd));
}

function isKnown(type: string): boolean {
  return SAME.has(type) || QUOTED.has(type);
}

/** Returns a copy in which casts name their types as column names do. */
function withNamesOfTypes(item: Json): Json {
  const copy = copyOf(item);
  someNode(copy, (node) => {
    const type = node["cast_type"];
    if (node["class"] !== "CAST" || !isObject(type) || !QUOTED.has(String(type["id"]))) return false;
    const info = { alias: "", extension_info: null, catalog: "", schema: "", user_type_modifiers: [] };
    const unbound = { type: "UNBOUND_TYPE_INFO", name: type["id"], ...info };
    (node as Mutable)["cast_type"] = { id: "UNBOUND", type_info: unbound };
    return false;
  });
  return copy;
}
