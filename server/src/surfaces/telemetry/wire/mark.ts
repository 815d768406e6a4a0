/** Whether the body begins with a byte order mark, which some programs write before UTF-8. */
export function startsWithMark(body: Buffer): boolean {
  return body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf;
}

/** JSON is read without the mark (RFC 8259 section 8.1). */
export function withoutMark(body: Buffer): Buffer {
  return startsWithMark(body) ? body.subarray(3) : body;
}
