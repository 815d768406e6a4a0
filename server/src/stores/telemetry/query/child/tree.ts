import { isObject, textOf, type Json } from "../gate/index.ts";

/** Visits every SELECT of a tree, also nested ones. */
export function eachSelect(value: unknown, visit: (select: Json) => void): void {
  if (Array.isArray(value)) for (const item of value as unknown[]) eachSelect(item, visit);
  if (!isObject(value) || value["class"] === "CONSTANT") return;
  if (value["type"] === "SELECT_NODE") visit(value);
  for (const member of Object.values(value)) if (typeof member === "object") eachSelect(member, visit);
}

/** The parts of a column's name, in lower case. */
export function namesOf(column: Json): string[] {
  return listOf(column["column_names"]).map((name) => String(name).toLowerCase());
}

export function childrenOf(node: Json): readonly unknown[] {
  return listOf(node["children"]);
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}

/** The name before a dot that means a part of a FROM, in lower case. */
export function nameOf(source: Json): string {
  return (textOf(source["alias"]) || textOf(source["table_name"])).toLowerCase();
}

/** Whether the tree has a node of some kind; literals are skipped. */
export function someNode(value: unknown, holds: (node: Json) => boolean): boolean {
  if (Array.isArray(value)) return value.some((item) => someNode(item, holds));
  if (!isObject(value) || value["class"] === "CONSTANT") return false;
  return holds(value) || Object.values(value).some((member) => typeof member === "object" && someNode(member, holds));
}

/** The names of all functions that are called in a tree, in lower case. */
export function eachFunction(value: unknown, visit: (name: string) => void): void {
  someNode(value, (node) => {
    const name = node["function_name"];
    if (typeof name === "string") visit(name.toLowerCase());
    return false;
  });
}
