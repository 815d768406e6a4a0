import type { AuthKind } from "../auth/kinds.ts";

/** Types that can run in a browser. As a page of our origin they could read everything that the visitor may read. */
const ACTIVE =
  /^(text\/(html|xml|javascript|css|xsl)|application\/(xhtml\+xml|xml|pdf|javascript|ecmascript|x-shockwave-flash|mathml\+xml|rss\+xml|atom\+xml)|image\/svg\+xml)|\+xml$/i;

/**
 * Prevents users' content from running as a page of this origin. A browser can't sign a header, so a request with a
 * signed header comes from a program and gets the stored fields.
 */
export function safetyFields(fields: Readonly<Record<string, string>>, kind: AuthKind): Record<string, string> {
  const essence = (fields["content-type"] ?? "").split(";", 1)[0]?.trim() ?? "";
  const isForBrowser = kind !== "v4-header" && kind !== "v2-header";
  return {
    "x-content-type-options": "nosniff",
    "content-security-policy": "default-src 'none'; sandbox",
    ...(isForBrowser && ACTIVE.test(essence) && fields["content-disposition"] === undefined
      ? { "content-disposition": "attachment" }
      : {}),
  };
}
