import { isUtf8 } from "node:buffer";

/*
 * These decoders accept exactly one text for each value. Node's decoders also accept malformed text: they skip
 * characters outside of the alphabet, ignore leftover bits, and replace invalid UTF-8 by U+FFFD. With them, two
 * different texts could be the same token, and a value could differ from the value that was sent.
 */

/** Decodes base64url without padding (RFC 4648 sections 3.5 and 5); undefined for any other text. */
export function decodeBase64Url(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, "base64url");
  return bytes.toString("base64url") === text ? bytes : undefined;
}

/** Decodes base64 (RFC 4648 section 4), with or without padding; undefined for any other text. */
export function decodeBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, "base64");
  const right = bytes.toString("base64");
  return text === right || text === right.replace(/=+$/, "") ? bytes : undefined;
}

/** Decodes hexadecimal digits, at least two; undefined for any other text. */
export function decodeHex(text: string): Buffer | undefined {
  return /^(?:[0-9A-Fa-f]{2})+$/.test(text) ? Buffer.from(text, "hex") : undefined;
}

/** Decodes UTF-8; undefined for bytes that are not UTF-8. */
export function decodeUtf8(bytes: Buffer): string | undefined {
  return isUtf8(bytes) ? bytes.toString("utf8") : undefined;
}

const ESCAPE = /%([0-9A-Fa-f]{2})?/g;

/**
 * Decodes percent-encoding (RFC 3986 section 2.1) of UTF-8. Undefined when a % lacks two hexadecimal digits, or the
 * bytes are not UTF-8. Characters from U+0080 to U+00FF stand for bytes, because Node gives a request's target as
 * Latin-1.
 */
export function decodePercent(text: string): string | undefined {
  if (!/[%\x80-\xff]/.test(text)) return text;
  let isWhole = true;
  const bytes = text.replace(ESCAPE, (_escape, hex: string | undefined) => {
    if (hex === undefined) isWhole = false;
    return String.fromCharCode(Number.parseInt(hex ?? "0", 16));
  });
  return isWhole ? decodeUtf8(Buffer.from(bytes, "latin1")) : undefined;
}

/** Decodes names and values of `application/x-www-form-urlencoded`, in order; undefined when one is not valid. */
export function decodeForm(text: string): [name: string, value: string][] | undefined {
  const pairs: [string, string][] = [];
  for (const part of text.split("&")) {
    if (part === "") continue;
    const equals = part.indexOf("=");
    const name = decodePlus(equals < 0 ? part : part.slice(0, equals));
    const value = equals < 0 ? "" : decodePlus(part.slice(equals + 1));
    if (name === undefined || value === undefined) return undefined;
    pairs.push([name, value]);
  }
  return pairs;
}

function decodePlus(text: string): string | undefined {
  return decodePercent(text.replaceAll("+", " "));
}
