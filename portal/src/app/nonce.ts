/**
 * Returns the nonce that the content security policy requires for the style elements of libraries. The server puts a
 * new one into each page.
 */
export function styleNonce(): string | undefined {
  const nonce = document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.content;
  // The libraries that Radix uses read the nonce from here.
  Reflect.set(globalThis, "__webpack_nonce__", nonce);
  return nonce;
}
