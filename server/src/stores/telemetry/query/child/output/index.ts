import type { DuckDBDataChunk, DuckDBVector } from "@duckdb/node-api";
import type { ResultFormat } from "../../../types.ts";
import { toJson, typeName, type ToJson } from "./values.ts";
import { jsonTail, ndjsonTail } from "../../tails.ts";
import { arrowWriter } from "./arrow/index.ts";
import { toCsv, type ToCsv } from "./csv.ts";
import { parquetWriter } from "./parquet/index.ts";
import type { ResultColumn, ResultWriter } from "./writer.ts";

export type { Piece, ResultColumn, ResultWriter } from "./writer.ts";

export function columnsOf(chunk: DuckDBDataChunk): DuckDBVector[] {
  return Array.from({ length: chunk.columnCount }, (_, i) => chunk.getColumnVector(i));
}

/** Makes names distinct: `a`, `a_1`, `a_2` … */
export function distinctNames(names: readonly string[]): string[] {
  const taken = new Set<string>();
  const given = new Set(names);
  return names.map((name) => {
    let distinct = name;
    for (let i = 1; taken.has(distinct) || (distinct !== name && given.has(distinct)); i++) distinct = `${name}_${i}`;
    taken.add(distinct);
    return distinct;
  });
}

/** @throws Failure when the format does not support a column */
export function makeWriter(format: ResultFormat, columns: readonly ResultColumn[]): ResultWriter {
  switch (format) {
    case "json":
      return jsonWriter(columns);
    case "ndjson":
      return ndjsonWriter(columns);
    case "csv":
      return csvWriter(columns);
    case "arrow":
      return arrowWriter(columns);
    case "parquet":
      return parquetWriter(columns);
  }
}

function objectText(columns: readonly ResultColumn[]): (vectors: readonly DuckDBVector[], index: number) => string {
  const keys = columns.map(({ name }, i) => `${i === 0 ? "{" : ","}${JSON.stringify(name)}:`);
  const values: readonly ToJson[] = columns.map(({ type }) => toJson(type));
  return (vectors, index) => {
    let text = "";
    for (let i = 0; i < keys.length; i++) {
      const value = vectors[i]?.getItem(index) ?? null;
      text += keys[i];
      text += value === null ? "null" : values[i]?.(value);
    }
    return `${text}}`;
  };
}

function jsonWriter(columns: readonly ResultColumn[]): ResultWriter {
  const object = objectText(columns);
  const described = JSON.stringify(columns.map(({ name, type }) => ({ name, type: typeName(type) })));
  return {
    head: () => `{"columns":${described},"rows":[`,
    row: (vectors, index, first) => `${first ? "\n" : ",\n"}${object(vectors, index)}`,
    tail: (trailer) => jsonTail(trailer),
  };
}

function ndjsonWriter(columns: readonly ResultColumn[]): ResultWriter {
  const object = objectText(columns);
  return {
    head: () => "",
    row: (vectors, index) => `${object(vectors, index)}\n`,
    tail: (trailer) => ndjsonTail(trailer),
  };
}

function csvWriter(columns: readonly ResultColumn[]): ResultWriter {
  const fields: readonly ToCsv[] = columns.map(({ type }) => toCsv(type));
  return {
    head: () => csvLine(columns.map(({ name }) => csvField(name))),
    row: (vectors, index) => {
      let line = "";
      for (let i = 0; i < fields.length; i++) {
        const value = vectors[i]?.getItem(index) ?? null;
        if (i > 0) line += ",";
        if (value !== null) line += csvField(fields[i]?.(value) ?? "");
      }
      return `${line}\r\n`;
    },
    tail: ({ error }) => (error === undefined ? "" : undefined),
  };
}

/**
 * RFC 4180 section 2: quoted where needed, quotes doubled. An empty text is quoted, which distinguishes it from NULL.
 */
function csvField(text: string): string {
  return text === "" || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function csvLine(fields: readonly string[]): string {
  return `${fields.join(",")}\r\n`;
}
