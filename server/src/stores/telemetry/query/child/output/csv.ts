import { DuckDBTypeId, type DuckDBType, type DuckDBValue } from "@duckdb/node-api";
import { toJson } from "./values.ts";

/** Renders a value that is not NULL as the text of a CSV field, before quoting. */
export type ToCsv = (value: DuckDBValue) => string;

/**
 * Writes values as in JSON, but strings without quotes. Numbers that JSON does not have are `NaN`, `Infinity` and
 * `-Infinity`.
 */
export function toCsv(type: DuckDBType): ToCsv {
  if (type.typeId === DuckDBTypeId.DOUBLE || type.typeId === DuckDBTypeId.FLOAT) {
    const finite = toJson(type);
    return (value) => (Number.isFinite(value) ? finite(value) : String(value));
  }
  if (type.typeId === DuckDBTypeId.VARCHAR) return String;
  const json = toJson(type);
  return (value) => {
    const text = json(value);
    return text.startsWith('"') ? (JSON.parse(text) as string) : text;
  };
}
