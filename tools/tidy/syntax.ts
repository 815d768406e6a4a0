import { parseSync } from "@swc/core";
import { isCode, type SourceFile } from "./files.ts";

/** A node of swc's syntax tree. */
export interface Node {
  readonly type: string;
  /** In bytes, from 1; some nodes, as a property of an object, have none. */
  readonly span?: { readonly start: number; readonly end: number };
  readonly [member: string]: unknown;
}

/** Calls `visit` for every node of a file, parents first. */
export function walk(file: SourceFile, visit: (node: Node, parents: readonly Node[]) => void): void {
  const tree: unknown = parseSync(file.text, { syntax: "typescript", target: "es2024" });
  descend(tree, [], visit);
}

function descend(value: unknown, parents: Node[], visit: (node: Node, parents: readonly Node[]) => void): void {
  if (Array.isArray(value)) {
    for (const item of value) descend(item, parents, visit);
    return;
  }
  if (typeof value !== "object" || value === null) return;
  const node = isNode(value) ? value : undefined;
  if (node !== undefined) {
    visit(node, parents);
    parents.push(node);
  }
  for (const member of Object.values(value)) descend(member, parents, visit);
  if (node !== undefined) parents.pop();
}

export function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value;
}

/** `console.log` for the node of that expression; undefined for anything but a plain name and member. */
export function dottedName(value: unknown): string | undefined {
  if (!isNode(value)) return undefined;
  if (value.type === "Identifier") return String(value["value"]);
  if (value.type !== "MemberExpression") return undefined;
  const object = dottedName(value["object"]);
  const property = value["property"];
  if (object === undefined || !isNode(property) || property.type !== "Identifier") return undefined;
  return `${object}.${String(property["value"])}`;
}

/** First and last line of a node that has a span. */
export function linesOf(file: SourceFile, node: Node): { readonly first: number; readonly last: number } {
  const { start, end } = node.span ?? { start: 1, end: 1 };
  const bytes = Buffer.from(file.text);
  const first = newlines(bytes.subarray(0, start - 1)) + 1;
  return { first, last: first + newlines(bytes.subarray(start - 1, end - 1)) };
}

function newlines(bytes: Buffer): number {
  let count = 0;
  for (const byte of bytes) if (byte === 10) count++;
  return count;
}

/** Findings of a check that looks at one node at a time; it answers what is wrong with the node, or undefined. */
export function findNodes(
  files: readonly SourceFile[],
  wrong: (node: Node, file: SourceFile, parents: readonly Node[]) => string | undefined,
): string[] {
  const findings: string[] = [];
  for (const file of files.filter(({ path }) => isCode(path))) {
    walk(file, (node, parents) => {
      const message = wrong(node, file, parents);
      if (message === undefined) return;
      const place = [node, ...parents.toReversed()].find(({ span }) => span !== undefined) ?? node;
      findings.push(`${file.path}:${linesOf(file, place).first}: ${message}`);
    });
  }
  return findings;
}
