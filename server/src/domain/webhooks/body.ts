import { isUtf8 } from "node:buffer";
import { isDeeperThan } from "#kernel/json-text.ts";
import { WEBHOOK_JSON_DEPTH_MAX } from "#kernel/limits.ts";

/** The format of a body. JSON that is nested too deep for common parsers is only text. */
export type BodyFormat = "json" | "deep_json" | "text" | "binary";

export interface BodyRead {
  readonly format: BodyFormat;
  /** The body as it was sent; null when it is not UTF-8. */
  readonly text: string | null;
  /**
   * The same text when the format is `json`. It is not rewritten, because that would change numbers and repeated
   * members.
   */
  readonly json: string | null;
}

export function readBody(bytes: Buffer): BodyRead {
  if (!isUtf8(bytes)) return { format: "binary", text: null, json: null };
  const text = bytes.toString("utf8");
  if (!isJson(text)) return { format: "text", text, json: null };
  return isDeeperThan(text, WEBHOOK_JSON_DEPTH_MAX)
    ? { format: "deep_json", text, json: null }
    : { format: "json", text, json: text };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
