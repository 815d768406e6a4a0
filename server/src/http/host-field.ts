import type { IncomingMessage } from "node:http";

/** RFC 3986 section 3.2: a name or an address, with an optional port. Empty when the target has no authority. */
const HOST = /^(?:\[[0-9A-Fa-f:.vV]+\]|(?:[A-Za-z0-9\-._~!$&'()*+,;=]|%[0-9A-Fa-f]{2})*)(?::[0-9]*)?$/;

/**
 * Returns the fault of a request's Host field. A proxy may read several fields, or an invalid one, as another host than
 * this server does (RFC 9112 section 3.2). Node keeps the first of several.
 */
export function faultOfHost({ headers, rawHeaders, httpVersion }: IncomingMessage): string | undefined {
  const { host } = headers;
  if (host === undefined) return httpVersion === "1.1" ? "The header field Host is missing." : undefined;
  const count = rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === "host").length;
  if (count > 1) return "The header field Host came more than once.";
  return HOST.test(host) ? undefined : "The header field Host is not the name of a host.";
}
