import type { IncomingHttpHeaders } from "node:http";
import { Problem } from "#kernel/problem.ts";
import type { NewUpload } from "#domain/files/index.ts";
import { validateFile } from "../validate.ts";
import { HttpProblem } from "#http/index.ts";

/** Header fields of tus 1.0.0 (https://tus.io/protocols/resumable-upload). */

export const TUS_VERSION = "1.0.0";
export const TUS_EXTENSIONS = "creation,creation-with-upload,expiration,checksum,termination";
export const TUS_CONTENT_TYPE = "application/offset+octet-stream";
export const TUS_CHECKSUMS = ["sha1", "md5", "sha256", "sha512"] as const;

/** @throws Problem `precondition_failed` with the supported version */
export function requireVersion(headers: IncomingHttpHeaders): void {
  if (headers["tus-resumable"] === TUS_VERSION) return;
  throw new HttpProblem("precondition_failed", `Send the header field Tus-Resumable: ${TUS_VERSION}`, {
    "tus-version": TUS_VERSION,
  });
}

/** Returns a field as a whole number; undefined when it is absent. @throws Problem `invalid_request` */
export function numberIn(headers: IncomingHttpHeaders, field: string): number | undefined {
  const value = headers[field.toLowerCase()];
  if (value === undefined) return undefined;
  if (typeof value !== "string" || !/^(0|[1-9][0-9]{0,15})$/.test(value) || !Number.isSafeInteger(Number(value)))
    throw new Problem("invalid_request", `The header field ${field} must be a whole number of bytes.`);
  return Number(value);
}

export interface Described extends Pick<NewUpload, "filename" | "contentType"> {
  readonly project: string | undefined;
  /** The unchanged field. */
  readonly metadata: string;
}

const METADATA_CHARS_MAX = 4096;

/**
 * Reads the file's properties from `Upload-Metadata`, by the names that clients use.
 * @throws Problem `invalid_request`
 */
export function describedBy(headers: IncomingHttpHeaders): Described {
  const metadata = headers["upload-metadata"];
  const values = valuesIn(typeof metadata === "string" ? metadata : "");
  const first = (...names: readonly string[]): string | undefined =>
    names.map((name) => values.get(name)).find((value) => value !== undefined && value !== "");
  const filename = first("filename", "name");
  if (filename === undefined)
    throw new Problem("invalid_request", "The header field Upload-Metadata must have a filename, in base64.");
  const contentType = first("content_type", "filetype", "type") ?? "application/octet-stream";
  const [fault] = validateFile({ filename, content_type: contentType });
  if (fault !== undefined)
    throw new Problem("invalid_request", `In Upload-Metadata the ${fault.pointer.slice(1)} ${fault.detail}.`);
  return { filename, contentType, project: first("project"), metadata: String(metadata) };
}

function valuesIn(field: string): Map<string, string> {
  if (field.length > METADATA_CHARS_MAX) throw malformed();
  const values = new Map<string, string>();
  for (const pair of field.split(",").filter((text) => text.trim() !== "")) {
    const [, name, base64 = ""] = /^ *([\x21-\x2b\x2d-\x7e]+)(?: +([A-Za-z0-9+/]*={0,2}))? *$/.exec(pair) ?? [];
    if (name === undefined || values.has(name)) throw malformed();
    values.set(name, textOf(base64));
  }
  return values;
}

function textOf(base64: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.from(base64, "base64"));
  } catch {
    throw malformed();
  }
}

function malformed(): Problem {
  return new Problem(
    "invalid_request",
    "The header field Upload-Metadata must be pairs of a name and a text in base64, separated by commas.",
  );
}

export interface Checksum {
  readonly algorithm: (typeof TUS_CHECKSUMS)[number];
  readonly hex: string;
}

/** Reads `Upload-Checksum`. @throws Problem `invalid_request` for an unsupported algorithm */
export function checksumIn(headers: IncomingHttpHeaders): Checksum | undefined {
  const field = headers["upload-checksum"];
  if (field === undefined) return undefined;
  const [, name, base64 = ""] = /^([a-z0-9]+) ([A-Za-z0-9+/]+={0,2})$/.exec(String(field)) ?? [];
  const algorithm = TUS_CHECKSUMS.find((known) => known === name);
  if (algorithm !== undefined) return { algorithm, hex: Buffer.from(base64, "base64").toString("hex") };
  throw new Problem(
    "invalid_request",
    `Upload-Checksum must be one of ${TUS_CHECKSUMS.join(", ")}, then the digest in base64.`,
  );
}
