import { closeSync, openSync, readSync } from "node:fs";
import { decodeUtf8 } from "#kernel/decoding.ts";
import type { SettingName } from "./settings.ts";

/** Where the value of a setting was given. */
export type Origin =
  | { readonly source: "file"; readonly file: string; readonly line: number; readonly column: number }
  /** `file` is the file that the variable names, when it ends with `_FILE`. */
  | { readonly source: "variable"; readonly variable: string; readonly file?: string }
  | { readonly source: "flag"; readonly flag: string };

export interface GivenSetting {
  readonly name: SettingName;
  readonly value: unknown;
  readonly origin: Origin;
}

/** The settings of one source, and their mistakes. */
export interface GivenSettings {
  readonly settings: readonly GivenSetting[];
  readonly mistakes: readonly string[];
}

/** Returns the origin as operators write it: `mooring.json:3:5`, `MOORING_LISTEN`, `--listen`. */
export function originText(origin: Origin): string {
  if (origin.source === "flag") return origin.flag;
  if (origin.source === "file") return `${origin.file}:${origin.line}:${origin.column}`;
  return origin.file === undefined ? origin.variable : `${origin.variable} (${origin.file})`;
}

/** System errors of a file, in words that need no manual. */
const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  EACCES: "this user may not read it",
  EPERM: "this user may not read it",
  EISDIR: "it is a directory",
};

/**
 * Reads a text file of limited size, also one without a known size, such as a pipe.
 * @throws Error whose message is the reason only, never the path or a part of the content
 */
export function readText(path: string, bytesMax: number): string {
  const text = decodeUtf8(readBytes(path, bytesMax));
  if (text === undefined) throw new Error("it is not UTF-8 text");
  return text;
}

function readBytes(path: string, bytesMax: number): Buffer {
  const buffer = Buffer.alloc(bytesMax + 1);
  let length = 0;
  try {
    const file = openSync(path, "r");
    try {
      for (let read = -1; read !== 0 && length < buffer.length; length += read)
        read = readSync(file, buffer, length, buffer.length - length, null);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    const { code = "unknown error" } = error as NodeJS.ErrnoException;
    throw new Error(REASONS[code] === undefined ? code : `${REASONS[code]} (${code})`, { cause: error });
  }
  if (length > bytesMax) throw new Error(`it has more than ${bytesMax} bytes`);
  return buffer.subarray(0, length);
}
