/** Whether a header field's value replaces a secret. The value contains a hash; in old events it is only the word. */
export function isRedacted(value: string | undefined): boolean {
  return value !== undefined && /^redacted(?::[0-9a-f]{16})?$/.test(value);
}
