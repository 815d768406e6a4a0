const HERE = "https://portal.invalid";

/**
 * Returns the path to open after the sign-in. Only a path of this server is allowed. A text that a browser could read
 * as another host (two slashes, a backslash, ignored tabs and line ends; RFC 3986 and the URL standard) becomes `/`.
 */
export function safeReturnTo(text: unknown): string {
  if (typeof text !== "string" || !text.startsWith("/") || text.startsWith("//") || /[\\\p{Cc}]/u.test(text))
    return "/";
  const url = URL.parse(text, HERE);
  if (url === null || url.origin !== HERE || url.pathname.startsWith("//")) return "/";
  // A return to the sign-in page would be a loop.
  return url.pathname === "/sign-in" ? "/" : url.pathname + url.search + url.hash;
}
