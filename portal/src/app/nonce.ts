/** The nonce that lets a library's style element pass the content security policy. The server puts a new one into each page. */
export function styleNonce(): string | undefined {
  const nonce = document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.content;
  // Where the libraries below Radix look for it.
  Reflect.set(globalThis, "__webpack_nonce__", nonce);
  return nonce;
}
