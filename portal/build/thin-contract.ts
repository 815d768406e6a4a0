import * as contract from "@mooring/contract";
import type { Plugin } from "vite";

const NAME = "\0thin-contract";

/** The members of a row that a call needs at run time. Schemas are needed only for types. */
const ROW_FIELDS = ["operationId", "method", "path", "summary", "permission", "recentSignIn", "idempotent", "status"];

/**
 * Reduces the contract's routes to method, path and permission, and keeps its other plain data. So the browser does not
 * load the schema library, which is larger than the rest of the portal.
 */
export function thinContract(): Plugin {
  return {
    name: "thin-contract",
    enforce: "pre",
    resolveId: (id) => (id === "@mooring/contract" ? NAME : undefined),
    load: (id) => (id === NAME ? thinSource(contract) : undefined),
  };
}

/** Omits functions and schemas. The build fails when the portal imports one. */
function thinSource(exports: Readonly<Record<string, unknown>>): string {
  return Object.entries(exports)
    .map(([name, value]) => [name, plain(value)] as const)
    .filter(([, source]) => source !== undefined)
    .map(([name, source]) => `export const ${name} = ${source};`)
    .join("\n");
}

function plain(value: unknown): string | undefined {
  if (typeof value === "function" || isSchema(value)) return undefined;
  if (value instanceof Set) return `new Set(${JSON.stringify([...(value as Set<unknown>)])})`;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, each]) => {
    const source = isRow(each) ? JSON.stringify(thinRow(each)) : plain(each);
    return source === undefined ? "" : `${JSON.stringify(key)}: ${source}`;
  });
  return `{ ${members.filter((member) => member !== "").join(", ")} }`;
}

function isRow(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && "operationId" in value && "path" in value;
}

function thinRow(row: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(ROW_FIELDS.filter((field) => field in row).map((field) => [field, row[field]]));
}

/** Detects a schema by the member that has its kind, which is not enumerable. */
function isSchema(value: unknown): boolean {
  return typeof value === "object" && value !== null && "~kind" in value;
}
