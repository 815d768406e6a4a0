import type { AuthKind } from "../auth/kinds.ts";

/** Types that can run in a browser: shown as a page of ours they could read everything that their visitor may. */
const ACTIVE =
  /^(text\/(html|xml|javascript|css|xsl)|application\/(xhtml\+xml|xml|pdf|javascript|ecmascript|x-shockwave-flash|mathml\+xml|rss\+xml|atom\+xml)|image\/svg\+xml)|\+xml$/i;

/**
 * Keeps users' content from being a page of this origin. A browser can't sign a header, so a request with a signed
 * header comes from a program, and keeps the stored fields.
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
