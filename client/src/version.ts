/** That of package.json; a test compares them. */
export const CLIENT_VERSION = "0.1.0";

const NAME = `mooring-client/${CLIENT_VERSION}`;

/**
 * The field that names the client. A page may send no `User-Agent`, and a field of ours would make a request to another origin
 * one that the server must allow beforehand; so a page names itself to its own origin only.
 */
export function versionFields(url: string): Record<string, string> {
  const { location: page } = globalThis as { location?: { readonly origin: string } };
  if (page === undefined) return { "user-agent": NAME };
  return new URL(url).origin === page.origin ? { "mooring-client": NAME } : {};
}
