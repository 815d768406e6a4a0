/** A statement up to this length is in the address unchanged. A longer one is compressed. */
const PLAIN_MAX = 1500;

/** The statement in an address: `sql` unchanged, or `z` compressed (RFC 1951, base64url). */
export interface StatementSearch {
  readonly sql: string | undefined;
  readonly z: string | undefined;
}

export async function searchOfStatement(sql: string): Promise<StatementSearch> {
  if (sql === "") return { sql: undefined, z: undefined };
  if (sql.length <= PLAIN_MAX) return { sql, z: undefined };
  const packed = new Blob([sql]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  return { sql: undefined, z: toBase64Url(new Uint8Array(await new Response(packed).arrayBuffer())) };
}

/** Returns the statement of an address, or an empty text if there is no valid one. */
export async function statementOf({ sql, z }: Partial<StatementSearch>): Promise<string> {
  if (sql !== undefined) return sql;
  if (z === undefined) return "";
  try {
    const unpacked = new Blob([fromBase64Url(z)]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    return await new Response(unpacked).text();
  } catch {
    return "";
  }
}

function toBase64Url(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function fromBase64Url(text: string): Uint8Array<ArrayBuffer> {
  const bytes = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(bytes, (sign) => sign.charCodeAt(0));
}
