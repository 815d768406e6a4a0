/** The version in package.json. A test compares the two. */
export const CLIENT_VERSION = "0.1.0";

const NAME = `mooring-client/${CLIENT_VERSION}`;

/**
 * Returns the header field that names the client. A page can't set `User-Agent`, and any other field would need a CORS
 * preflight at another origin. So a page sends a field of ours, and only to its own origin.
 */
export function versionFields(url: string): Record<string, string> {
  const { location: page } = globalThis as { location?: { readonly origin: string } };
  if (page === undefined) return { "user-agent": NAME };
  return new URL(url).origin === page.origin ? { "mooring-client": NAME } : {};
}
