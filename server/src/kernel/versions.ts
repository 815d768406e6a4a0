import { sha256Hex } from "./digest.ts";
import { Problem } from "./problem.ts";

/** Returns a strong entity tag (RFC 9110 section 8.8.3) of a record. Tags are equal only if all fields are equal. */
export function etagOf(record: object): string {
  return `"${sha256Hex(JSON.stringify(record)).slice(0, 32)}"`;
}

/** Entity tags of the versions that a change accepts. */
export type Expected = readonly string[] | "any";

/**
 * Returns the versions that a change accepts: those of `If-Match`, or without it the version that is stored when the
 * request arrives. So the second of two concurrent changes is refused. Call it before the transaction. `*` accepts any
 * version.
 */
export async function expectedOf(
  ifMatch: string | undefined,
  read: () => Promise<object | undefined>,
): Promise<Expected> {
  if (ifMatch?.trim() === "*") return "any";
  // A compressed answer has a weak tag. It names the same version.
  if (ifMatch !== undefined) return ifMatch.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  const seen = await read();
  return seen === undefined ? "any" : [etagOf(seen)];
}

/** Call it in the transaction of the change. @throws Problem `concurrent_update` */
export function requireMatch(expected: Expected, record: object): void {
  if (expected === "any" || expected.includes(etagOf(record))) return;
  throw new Problem("concurrent_update", "It was changed after you read it; read it again and repeat your change.");
}
