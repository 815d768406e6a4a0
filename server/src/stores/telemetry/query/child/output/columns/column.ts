import {
  DuckDBTypeId,
  type DuckDBArrayValue,
  type DuckDBBlobValue,
  type DuckDBListValue,
  type DuckDBMapType,
  type DuckDBMapValue,
  type DuckDBStructType,
  type DuckDBStructValue,
  type DuckDBType,
  type DuckDBValue,
} from "@duckdb/node-api";
import { Bits, Bytes } from "./bytes.ts";
import { fixedOf, type Fixed } from "./fixed.ts";

/** The values of one column that are not sent yet, laid out as in Arrow (Columnar Format, "Physical Memory Layout"). */
export interface ColumnData {
  /** A bit for each value. It is set when the value is not NULL. */
  readonly valid: Bits;
  /** The position of each value in `values` or in the child, and the end of the last one. For texts, bytes and lists. */
  readonly offsets: Bytes | undefined;
  readonly values: Bytes | Bits | undefined;
  readonly children: readonly ColumnData[];
}

export interface Column<T = DuckDBValue> extends ColumnData {
  /** @returns the approximate size of the value */
  append(value: T | null): number;
  clear(): void;
}

const OFFSET_BYTES = 4;

/** Creates a column for values of `type`. Types in `asText` become text. */
export function makeColumn(type: DuckDBType, asText: ReadonlySet<DuckDBTypeId>): Column {
  if (type.typeId === DuckDBTypeId.LIST || type.typeId === DuckDBTypeId.ARRAY) {
    const item = makeColumn(type.valueType, asText);
    return listColumn(item, (value) => (value as DuckDBListValue | DuckDBArrayValue).items);
  }
  if (type.typeId === DuckDBTypeId.MAP)
    return listColumn(entryColumn(type, asText), (value) => (value as DuckDBMapValue).entries);
  if (type.typeId === DuckDBTypeId.STRUCT) return structColumn(type, asText);
  if (type.typeId === DuckDBTypeId.BOOLEAN) return booleanColumn();
  if (type.typeId === DuckDBTypeId.BLOB) return variableColumn(putBlob);
  const fixed = asText.has(type.typeId) ? undefined : fixedOf(type);
  return fixed === undefined ? variableColumn(putText) : fixedColumn(fixed);
}

function putBlob(bytes: Bytes, value: DuckDBValue): number {
  const { bytes: blob } = value as DuckDBBlobValue;
  bytes.append(blob);
  return blob.length;
}

function putText(bytes: Bytes, value: DuckDBValue): number {
  return bytes.text(String(value).toWellFormed());
}

function fixedColumn({ width, put }: Fixed): Column {
  const valid = new Bits();
  const values = new Bytes();
  return {
    valid,
    values,
    offsets: undefined,
    children: [],
    append: (value) => {
      valid.push(value !== null);
      if (value === null) values.zeros(width);
      else {
        const at = values.extend(width);
        put(values.view, at, value);
      }
      return width;
    },
    clear: () => {
      valid.clear();
      values.clear();
    },
  };
}

function booleanColumn(): Column {
  const valid = new Bits();
  const values = new Bits();
  return {
    valid,
    values,
    offsets: undefined,
    children: [],
    append: (value) => {
      valid.push(value !== null);
      values.push(value === true);
      return 1;
    },
    clear: () => {
      valid.clear();
      values.clear();
    },
  };
}

/** `write` adds a value and returns its size. */
function variableColumn(write: (bytes: Bytes, value: DuckDBValue) => number): Column {
  const valid = new Bits();
  const offsets = makeOffsets();
  const values = new Bytes();
  return {
    valid,
    offsets,
    values,
    children: [],
    append: (value) => {
      valid.push(value !== null);
      const written = value === null ? 0 : write(values, value);
      pushOffset(offsets, values.length);
      return OFFSET_BYTES + written;
    },
    clear: () => {
      valid.clear();
      values.clear();
      resetOffsets(offsets);
    },
  };
}

/** A list. A map is a list of its entries. */
function listColumn<T>(item: Column<T>, itemsOf: (value: DuckDBValue) => readonly (T | null)[]): Column {
  const valid = new Bits();
  const offsets = makeOffsets();
  return {
    valid,
    offsets,
    values: undefined,
    children: [item],
    append: (value) => {
      valid.push(value !== null);
      let written = OFFSET_BYTES;
      if (value !== null) for (const each of itemsOf(value)) written += item.append(each);
      pushOffset(offsets, item.valid.length);
      return written;
    },
    clear: () => {
      valid.clear();
      resetOffsets(offsets);
      item.clear();
    },
  };
}

function structColumn(type: DuckDBStructType, asText: ReadonlySet<DuckDBTypeId>): Column {
  const { entryNames: names } = type;
  const columns = type.entryTypes.map((each) => makeColumn(each, asText));
  return groupColumn<DuckDBValue>(columns, (value, i) => (value as DuckDBStructValue).entries[names[i] ?? ""] ?? null);
}

type MapEntry = DuckDBMapValue["entries"][number];

function entryColumn(type: DuckDBMapType, asText: ReadonlySet<DuckDBTypeId>): Column<MapEntry> {
  const columns = [makeColumn(type.keyType, asText), makeColumn(type.valueType, asText)];
  return groupColumn<MapEntry>(columns, (entry, i) => (i === 0 ? entry.key : entry.value));
}

/** Values with several parts. If a value is NULL, its parts are NULL. */
function groupColumn<T>(children: readonly Column[], partOf: (value: T, index: number) => DuckDBValue): Column<T> {
  const valid = new Bits();
  return {
    valid,
    offsets: undefined,
    values: undefined,
    children,
    append: (value) => {
      valid.push(value !== null);
      let written = 0;
      children.forEach((child, i) => {
        written += child.append(value === null ? null : partOf(value, i));
      });
      return written;
    },
    clear: () => {
      valid.clear();
      for (const child of children) child.clear();
    },
  };
}

function makeOffsets(): Bytes {
  const offsets = new Bytes();
  pushOffset(offsets, 0);
  return offsets;
}

function resetOffsets(offsets: Bytes): void {
  offsets.clear();
  pushOffset(offsets, 0);
}

function pushOffset(offsets: Bytes, offset: number): void {
  const at = offsets.extend(OFFSET_BYTES);
  offsets.view.setInt32(at, offset, true);
}
