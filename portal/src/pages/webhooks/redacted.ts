/** Whether a header field's value replaces a secret: with a hash, or in old events only the word. */
export function isRedacted(value: string | undefined): boolean {
  return value !== undefined && /^redacted(?::[0-9a-f]{16})?$/.test(value);
}
