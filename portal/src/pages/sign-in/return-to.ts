const HERE = "https://portal.invalid";

/**
 * Where to go after the sign-in. Only a path of this server counts: text that a browser could read as another host (two slashes, a
 * backslash, tabs and line ends that it drops, RFC 3986 and the URL standard) leads to the start instead.
 */
export function safeReturnTo(text: unknown): string {
  if (typeof text !== "string" || !text.startsWith("/") || text.startsWith("//") || /[\\\p{Cc}]/u.test(text))
    return "/";
  const url = URL.parse(text, HERE);
  if (url === null || url.origin !== HERE || url.pathname.startsWith("//")) return "/";
  // Back to the sign-in would go round in circles.
  return url.pathname === "/sign-in" ? "/" : url.pathname + url.search + url.hash;
}
