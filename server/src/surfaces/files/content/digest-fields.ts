import type { IncomingHttpHeaders } from "node:http";
import { Problem } from "#kernel/problem.ts";
import type { Digests } from "#stores/objects/index.ts";

/** Algorithms of RFC 9530 section 5 that are checked. Others are ignored, as the RFC requires. */
const ALGORITHMS = {
  "sha-256": ["sha256", 32],
  "sha-512": ["sha512", 64],
  md5: ["md5", 16],
  sha: ["sha1", 20],
} as const;

/**
 * Returns the digests that the sender gives: `Content-MD5` (RFC 1864), `Repr-Digest` and `Content-Digest` (RFC 9530).
 * The last two are equal when the content has no coding.
 * @throws Problem `invalid_request`
 */
export function digestsOf(headers: IncomingHttpHeaders): Digests {
  const digests: Record<string, string> = {};
  const add = (field: string, name: string, bytes: number, base64: string): void => {
    const hex = Buffer.from(base64, "base64").toString("hex");
    if (hex.length !== 2 * bytes) throw malformed(field);
    if (digests[name] !== undefined && digests[name] !== hex) throw contradicting();
    digests[name] = hex;
  };
  const md5 = headers["content-md5"];
  if (typeof md5 === "string") {
    if (!BASE64.test(md5.trim())) throw malformed("Content-MD5");
    add("Content-MD5", "md5", 16, md5.trim());
  }
  for (const field of ["Repr-Digest", "Content-Digest"]) {
    const value = headers[field.toLowerCase()];
    if (typeof value !== "string") continue;
    for (const [key, base64] of membersOf(field, value)) {
      const known = ALGORITHMS[key as keyof typeof ALGORITHMS] as
        | (typeof ALGORITHMS)[keyof typeof ALGORITHMS]
        | undefined;
      if (known !== undefined) add(field, known[0], known[1], base64);
    }
  }
  return digests;
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
const MEMBER = /^[ \t]*([a-z*][a-z0-9_.*-]*)=:([A-Za-z0-9+/]*={0,2}):[ \t]*$/;

/** Parses a dictionary of byte sequences (RFC 9651), the only form of these fields. Base64 has no comma. */
function membersOf(field: string, value: string): (readonly [string, string])[] {
  return value.split(",").map((text) => {
    const [, key, base64] = MEMBER.exec(text) ?? [];
    if (key === undefined || base64 === undefined) throw malformed(field);
    return [key, base64] as const;
  });
}

function malformed(field: string): Problem {
  const example = field === "Content-MD5" ? "16 bytes in base64" : "like sha-256=:…:, with the digest in base64";
  return new Problem("invalid_request", `The header field ${field} must be ${example}.`);
}

function contradicting(): Problem {
  return new Problem("invalid_request", "The header fields give two different digests of the content.");
}
