/** Whether a value of a header field stands for a secret that was not kept: a hash, or the bare word that was written before there were hashes. */
export function isRedacted(value: string | undefined): boolean {
  return value !== undefined && /^redacted(?::[0-9a-f]{16})?$/.test(value);
}
