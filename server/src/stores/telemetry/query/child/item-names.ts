import { copyOf, isObject, type Evaluate, type Json } from "../gate/index.ts";
import { renderList } from "./render.ts";
import { eachSelect, listOf, someNode } from "./tree.ts";

type Mutable = Record<string, unknown>;

/** An item of a list whose name is how it is written. */
export interface Unnamed {
  readonly list: Mutable[];
  readonly index: number;
  readonly written: Json;
}

/** Items that contain a node of some kind. */
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

/** Gives a rewritten item its former name. */
export async function keepNames(items: readonly Unnamed[], evaluate: Evaluate): Promise<void> {
  const changed = items.filter(({ list, index, written }) => JSON.stringify(list[index]) !== JSON.stringify(written));
  if (changed.length === 0) return;
  const names = await renderList(
    changed.map(({ written }) => withNamesOfTypes(written)),
    evaluate,
  );
  for (const [i, { list, index }] of changed.entries()) (list[index] as Mutable)["alias"] = names[i];
}

/** Types whose name in the name of a column is the one that statements are rendered with. */
const SAME: ReadonlySet<string> = new Set(
  "BOOLEAN SMALLINT INTEGER BIGINT FLOAT VARCHAR TIME TIMESTAMP INTERVAL".split(" "),
);
/** Types whose name is quoted there: the parser leaves them to the binder, as it does with types of users. */
const QUOTED: ReadonlySet<string> = new Set(
  [
    "TINYINT HUGEINT UHUGEINT UTINYINT USMALLINT UINTEGER UBIGINT DOUBLE BLOB UUID DATE TIMESTAMP_S TIMESTAMP_MS TIMESTAMP_NS".split(
      " ",
    ),
    "TIME WITH TIME ZONE",
    "TIMESTAMP WITH TIME ZONE",
  ].flat(),
);

/** Whether the names of items can be computed: the engine writes some types differently in names and in statements. */
export function canBeNamed(items: readonly Unnamed[]): boolean {
  const isOdd = ({ class: kind, cast_type: type }: Json): boolean =>
    kind === "CAST" && !(isObject(type) && !type["type_info"] && isKnown(String(type["id"])));
  return !items.some(({ written }) => someNode(written, isOdd));
}

function isKnown(type: string): boolean {
  return SAME.has(type) || QUOTED.has(type);
}

/** A copy in which the types of casts are named as in the name of a column. */
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
