const ROW = 8;

/** Formats bytes as a table: offset, eight bytes in hex, and their ASCII characters. */
export function hexText(bytes: Uint8Array, bytesMax = bytes.length): string {
  const lines: string[] = [];
  for (let at = 0; at < Math.min(bytes.length, bytesMax); at += ROW) {
    const row = [...bytes.subarray(at, Math.min(at + ROW, bytesMax))];
    const hex = row.map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
    const text = row.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : "·")).join("");
    lines.push(`${at.toString(16).padStart(6, "0")}  ${hex.padEnd(ROW * 3 - 1)}  ${text}`);
  }
  return lines.join("\n");
}

/** Returns the bytes of an event's body, which is text, or base64 if it is not text. */
export function bodyBytes(event: {
  readonly body: string | null;
  readonly body_base64: string | null;
}): Uint8Array<ArrayBuffer> {
  if (event.body !== null) return new TextEncoder().encode(event.body);
  return base64Bytes(event.body_base64 ?? "") ?? new Uint8Array();
}

/** Decodes base64; null for other text. */
export function base64Bytes(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  } catch {
    return null;
  }
}
