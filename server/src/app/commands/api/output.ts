import type { ApiCommand, Route } from "@mooring/contract";
import { printable } from "../printable.ts";
import { cellText, tableText, terminalWidth, type TableColumn } from "../table.ts";
import type { Schema } from "./request.ts";

type Item = Readonly<Record<string, unknown>>;

/** The members that people look for first. */
const FIRST = ["name", "slug", "email", "key", "filename", "tag", "action", "role", "status", "state", "type"];
const LAST = ["created_at", "last_used_at", "expires_at"];
const COLUMNS_MAX = 7;

/** Prints items: a table on a terminal, lines with tabs for scripts, or JSON. */
export interface ItemPrinter {
  add(item: Item): void;
  end(): void;
}

/** With `streams`, JSON is one item a line, because the list may not fit into memory. */
export function itemPrinter(
  command: ApiCommand,
  { json, streams }: { readonly json: boolean; readonly streams: boolean },
): ItemPrinter {
  const columns = command.form.columns ?? columnsOf(command.row);
  const items: Item[] = [];
  const isTable = !json && process.stdout.isTTY;
  return {
    add: (item) => {
      if (json && streams) write(`${JSON.stringify(item)}\n`);
      else if (json || isTable) items.push(item);
      else write(`${columns.map((name) => lineText(item[name])).join("\t")}\n`);
    },
    end: () => {
      if (json && !streams) write(`${JSON.stringify(items, null, 2)}\n`);
      if (isTable)
        write(
          tableText(
            tableColumns(columns),
            items.map((item) => shownItem(columns, item)),
            terminalWidth(),
          ),
        );
    },
  };
}

function tableColumns(names: readonly string[]): TableColumn[] {
  return names.map((name) => ({ name, type: "VARCHAR", isWhole: /(?:^|_)id$/.test(name) }));
}

/** An absent value is an empty cell. */
function shownItem(columns: readonly string[], item: Item): Item {
  return Object.fromEntries(columns.map((name) => [name, item[name] ?? ""]));
}

/** Prints one record: a member a line, or JSON. */
export function printRecord(record: unknown, json: boolean): void {
  if (json || typeof record !== "object" || record === null) return write(`${JSON.stringify(record, null, 2)}\n`);
  const members = Object.entries(record);
  const width = Math.max(0, ...members.map(([name]) => name.length));
  for (const [name, value] of members) write(`${printable(name).padEnd(width)}  ${lineText(value)}\n`);
}

function lineText(value: unknown): string {
  return value === null || value === undefined ? "" : cellText(value);
}

/** Returns the schema of an item of the answer's list. */
export function itemSchemaOf(row: Route): Schema | undefined {
  const top = (row.result ?? {}) as Schema;
  const holder = top.properties?.["data"] ?? top;
  const list = Object.values(holder.properties ?? {}).find(({ type }) => type === "array");
  return list?.items;
}

/** Chooses the members that have one value, the most useful first, and the id last. */
export function columnsOf(row: Route): readonly string[] {
  const properties = itemSchemaOf(row)?.properties ?? {};
  const plain = Object.keys(properties).filter((name) => !isNested(properties[name] ?? {}) && name !== "etag");
  const first = FIRST.filter((name) => plain.includes(name));
  const last = LAST.filter((name) => plain.includes(name)).slice(0, 1);
  const ids = plain.filter((name) => name === "id");
  const rest = plain.filter((name) => ![...first, ...LAST, ...ids].includes(name));
  const room = COLUMNS_MAX - last.length - ids.length;
  return [...[...first, ...rest].slice(0, room), ...last, ...ids];
}

function isNested(schema: Schema): boolean {
  if (schema.anyOf !== undefined) return schema.anyOf.some(isNested);
  return schema.type === "object" || schema.type === "array";
}

function write(text: string): void {
  process.stdout.write(text);
}
