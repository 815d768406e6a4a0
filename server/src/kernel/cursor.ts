import { decodeBase64Url } from "./decoding.ts";
import { Problem } from "./problem.ts";

/** A part of a position in a list: the value of a column that the list is sorted by. */
export type CursorPart = string | number;

/** Encodes a position as opaque text for `next_cursor`. */
export function encodeCursor(parts: readonly CursorPart[]): string {
  return Buffer.from(JSON.stringify(parts)).toString("base64url");
}

/**
 * Decodes a position. `kinds` has the type of each part.
 * @throws Problem `invalid_parameter` for a cursor that is not from a list of this kind
 */
export function decodeCursor<const K extends readonly ("string" | "number")[]>(
  text: string,
  kinds: K,
): { -readonly [I in keyof K]: K[I] extends "number" ? number : string } {
  const parts = parse(text);
  const fits =
    Array.isArray(parts) &&
    parts.length === kinds.length &&
    parts.every(
      (part: unknown, i) => typeof part === kinds[i] && (typeof part === "string" || Number.isSafeInteger(part)),
    );
  if (!fits) {
    throw new Problem("invalid_parameter", "The cursor is not from this list.", {
      errors: [{ pointer: "/cursor", detail: "must be a next_cursor of this list" }],
    });
  }
  return parts as { -readonly [I in keyof K]: K[I] extends "number" ? number : string };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(decodeBase64Url(text)?.toString("utf8") ?? "");
  } catch {
    return undefined;
  }
}
