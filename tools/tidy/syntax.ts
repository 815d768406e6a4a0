import { parseSync } from "@swc/core";
import { isCode, type Rule, type SourceFile } from "./files.ts";

/** A node of swc's syntax tree. */
export interface Node {
  readonly type: string;
  /** In bytes, from 1. Some nodes have none, for example a property of an object. */
  readonly span?: { readonly start: number; readonly end: number };
  readonly [member: string]: unknown;
}

/** A rule over the syntax of each code file. All such rules share one walk through each file. */
export interface NodeRule extends Rule {
  applies(path: string): boolean;
  /** Returns the fault of a node; undefined when there is none. */
  wrong(node: Node, file: SourceFile, parents: readonly Node[]): string | undefined;
}

/** Calls `visit` for every node of a file, parents before children. */
export function walk(file: SourceFile, visit: (node: Node, parents: readonly Node[]) => void): void {
  const tree: unknown = parseSync(file.text, {
    syntax: "typescript",
    tsx: file.path.endsWith(".tsx"),
    target: "es2024",
  });
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

/** Returns `console.log` for that expression; undefined for anything but a plain name with members. */
export function dottedName(value: unknown): string | undefined {
  if (!isNode(value)) return undefined;
  if (value.type === "Identifier") return String(value["value"]);
  if (value.type !== "MemberExpression") return undefined;
  const object = dottedName(value["object"]);
  const property = value["property"];
  if (object === undefined || !isNode(property) || property.type !== "Identifier") return undefined;
  return `${object}.${String(property["value"])}`;
}

/** Returns the first and last line of a node with a span. */
export function linesOf(file: SourceFile, node: Node): { readonly first: number; readonly last: number } {
  const { start, end } = node.span ?? { start: 1, end: 1 };
  const bytes = bytesOf(file);
  const first = newlines(bytes.subarray(0, start - 1)) + 1;
  return { first, last: first + newlines(bytes.subarray(start - 1, end - 1)) };
}

const bytesKept = new WeakMap<SourceFile, Buffer>();

function bytesOf(file: SourceFile): Buffer {
  const bytes = bytesKept.get(file) ?? Buffer.from(file.text);
  bytesKept.set(file, bytes);
  return bytes;
}

function newlines(bytes: Buffer): number {
  let count = 0;
  for (const byte of bytes) if (byte === 10) count++;
  return count;
}

/** Creates a rule that checks one node at a time. */
export function nodeRule(
  name: string,
  wrong: NodeRule["wrong"],
  applies: (path: string) => boolean = () => true,
): NodeRule {
  const rule: NodeRule = { name, applies, wrong, check: (files) => checkNodes([rule], files).get(rule) ?? [] };
  return rule;
}

/** Returns the findings of several rules. Each file is walked once. */
export function checkNodes(
  rules: readonly NodeRule[],
  files: readonly SourceFile[],
  onRead: (path: string) => void = () => undefined,
): Map<NodeRule, string[]> {
  const findings = new Map(rules.map((rule) => [rule, [] as string[]]));
  for (const file of files.filter(({ path }) => isCode(path))) {
    const applying = rules.filter((rule) => rule.applies(file.path));
    onRead(file.path);
    walk(file, (node, parents) => {
      for (const rule of applying) {
        const message = rule.wrong(node, file, parents);
        if (message !== undefined) findings.get(rule)?.push(`${file.path}:${lineOf(file, node, parents)}: ${message}`);
      }
    });
  }
  return findings;
}

function lineOf(file: SourceFile, node: Node, parents: readonly Node[]): number {
  const place = [node, ...parents.toReversed()].find(({ span }) => span !== undefined) ?? node;
  return linesOf(file, place).first;
}
