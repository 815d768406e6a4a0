import type { ColumnData } from "../columns/column.ts";
import type { Bytes } from "../columns/bytes.ts";
import type { ColumnType, Field } from "../columns/types.ts";

/** One column of the file: a column of the result, or one part of a nested column. */
export interface Leaf {
  readonly path: readonly string[];
  readonly type: ColumnType;
  readonly definitionMax: number;
  readonly repetitionMax: number;
}

/** The values of a leaf in a batch. Each array has an element for each present or absent value. */
export interface Levels {
  /** How many levels of the path are present. */
  readonly definition: number[];
  /** The level of the list that a value continues. 0 begins a row. */
  readonly repetition: number[];
  /** The position of the value in the column's data. −1 when it is absent. */
  readonly index: number[];
}

export interface FilledLeaf {
  readonly leaf: Leaf;
  readonly data: ColumnData;
  readonly levels: Levels;
}

/** The leaves of a schema, in the order of its elements. */
export function leavesOf(fields: readonly Field[]): Leaf[] {
  return fields.flatMap((field) => beneath(field, [], 0, 0));
}

function beneath({ name, type, nullable }: Field, above: readonly string[], defined: number, repeated: number): Leaf[] {
  const definition = defined + (nullable ? 1 : 0);
  const path = [...above, name];
  if (type.kind === "list")
    return beneath({ ...type.item, name: "element" }, [...path, "list"], definition + 1, repeated + 1);
  if (type.kind === "map") {
    const entries = type.item.type.kind === "struct" ? type.item.type.fields : [];
    return entries.flatMap((entry) => beneath(entry, [...path, "key_value"], definition + 1, repeated + 1));
  }
  if (type.kind === "struct") return type.fields.flatMap((field) => beneath(field, path, definition, repeated));
  return [{ path, type, definitionMax: definition, repetitionMax: repeated }];
}

/** Returns the data of each leaf, in the order of `leavesOf`. */
export function fillLeaves(
  leaves: readonly Leaf[],
  fields: readonly Field[],
  columns: readonly ColumnData[],
  rows: number,
): FilledLeaf[] {
  const start: Levels = {
    definition: Array<number>(rows).fill(0),
    repetition: Array<number>(rows).fill(0),
    index: Array.from({ length: rows }, (_, i) => i),
  };
  const filled: { data: ColumnData; levels: Levels }[] = [];
  fields.forEach((field, i) => {
    const column = columns[i];
    if (column !== undefined) descend(filled, field, column, start, 0);
  });
  return leaves.flatMap((leaf, i) => {
    const each = filled[i];
    return each === undefined ? [] : [{ leaf, ...each }];
  });
}

/** Follows one column to its leaves. `lists` is the number of lists above it. */
function descend(
  filled: { data: ColumnData; levels: Levels }[],
  { type, nullable }: Field,
  data: ColumnData,
  above: Levels,
  lists: number,
): void {
  const levels = nullable ? withNulls(data, above) : above;
  const [child] = data.children;
  if (type.kind === "list" || type.kind === "map") {
    if (child !== undefined) descend(filled, type.item, child, withItems(data, levels, lists + 1), lists + 1);
  } else if (type.kind === "struct") {
    type.fields.forEach((field, i) => {
      const part = data.children[i];
      if (part !== undefined) descend(filled, field, part, levels, lists);
    });
  } else filled.push({ data, levels });
}

/** Adds one level for values that are not NULL. */
function withNulls({ valid }: ColumnData, above: Levels): Levels {
  const definition = above.definition.slice();
  const index = above.index.slice();
  for (let i = 0; i < index.length; i++) {
    const at = index[i] ?? -1;
    if (at < 0) continue;
    if (valid.get(at)) definition[i] = (definition[i] ?? 0) + 1;
    else index[i] = -1;
  }
  return { definition, repetition: above.repetition, index };
}

/** Replaces each list by its items. An empty or absent list keeps one element. */
function withItems({ offsets }: ColumnData, above: Levels, list: number): Levels {
  const levels: Levels = { definition: [], repetition: [], index: [] };
  above.index.forEach((at, i) => {
    const defined = above.definition[i] ?? 0;
    const repeated = above.repetition[i] ?? 0;
    const from = at < 0 ? 0 : offsetAt(offsets, at);
    const to = at < 0 ? 0 : offsetAt(offsets, at + 1);
    if (from === to) push(levels, defined, repeated, -1);
    for (let item = from; item < to; item++) push(levels, defined + 1, item === from ? repeated : list, item);
  });
  return levels;
}

function push({ definition, repetition, index }: Levels, defined: number, repeated: number, at: number): void {
  definition.push(defined);
  repetition.push(repeated);
  index.push(at);
}

export function offsetAt(offsets: Bytes | undefined, at: number): number {
  return offsets?.view.getInt32(4 * at, true) ?? 0;
}
