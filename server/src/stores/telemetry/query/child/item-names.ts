import { copyOf, type Evaluate, type Json } from "../gate/index.ts";
import { renderList } from "./render.ts";
import { eachSelect, listOf, someNode } from "./tree.ts";

type Mutable = Record<string, unknown>;

/** An item of a list whose name is how it is written. */
export interface Unnamed {
  readonly list: Mutable[];
  readonly index: number;
  readonly written: Json;
}

/** Those in which a node of some sort stands. */
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

/** Gives what is written in another way now the name that it had. */
export async function keepNames(items: readonly Unnamed[], evaluate: Evaluate): Promise<void> {
  const changed = items.filter(({ list, index, written }) => JSON.stringify(list[index]) !== JSON.stringify(written));
  if (changed.length === 0) return;
  const names = await renderList(
    changed.map(({ written }) => written),
    evaluate,
  );
  for (const [i, { list, index }] of changed.entries()) (list[index] as Mutable)["alias"] = names[i];
}
