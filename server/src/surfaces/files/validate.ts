import { FILENAME_BYTES_MAX } from "@mooring/contract";
import { canonicalMediaType } from "#domain/files/index.ts";
import type { ProblemPlace } from "#kernel/problem.ts";

/** Returns the faults of a file's name and type; empty when both are valid. */
export function validateFile({ filename, content_type }: { filename: string; content_type: string }): ProblemPlace[] {
  const errors: ProblemPlace[] = [];
  const wrong = nameFault(filename);
  if (wrong !== undefined) errors.push({ pointer: "/filename", detail: wrong });
  if (canonicalMediaType(content_type) === undefined)
    errors.push({ pointer: "/content_type", detail: "must be a media type, for example text/plain; charset=utf-8" });
  return errors;
}

function nameFault(filename: string): string | undefined {
  if (filename === "") return "must not be empty";
  if (!filename.isWellFormed()) return "has half of a surrogate pair";
  // oxlint-disable-next-line no-control-regex -- control characters are what it looks for
  if (/[\u0000-\u001f\u007f]/.test(filename)) return "has a control character";
  if (Buffer.byteLength(filename) > FILENAME_BYTES_MAX) return `must have ${FILENAME_BYTES_MAX} bytes of UTF-8 at most`;
  return undefined;
}
