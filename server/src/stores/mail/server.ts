import { isIP } from "node:net";

/** A mail server as its URL describes it. */
export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  readonly security: "tls" | "starttls" | "none";
  readonly user: string | null;
  readonly password: string | null;
}

const LOOPBACK = ["localhost", "127.0.0.1", "::1"];

/**
 * Parses a mail URL. `smtps://[USER:PASSWORD@]HOST[:465]` speaks TLS from the first byte (RFC 8314 section 3).
 * `smtp://…[:587]` requires STARTTLS (RFC 3207). Nothing is encrypted to a server on this machine, or with `?tls=none`;
 * then a password is allowed only for a server on this machine.
 * @throws Error that does not repeat the URL, which may hold a password
 */
export function parseSmtpUrl(text: string): SmtpServer {
  const url = URL.parse(text);
  if (url === null || url.hostname === "" || !["smtp:", "smtps:"].includes(url.protocol))
    throw new Error("must be smtps://[USER:PASSWORD@]HOST[:PORT] or smtp://…");
  if (!["", "/"].includes(url.pathname) || url.hash !== "")
    throw new Error("must end after the host and port; write / ? # @ : in a password as %2F %3F %23 %40 %3A");
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const security = securityOf(url, host);
  const [user, password] = [decoded(url.username), decoded(url.password)];
  if (security === "none" && user !== null && !LOOPBACK.includes(host))
    throw new Error("must not contain a password with tls=none: it would cross the network unencrypted");
  if ((user === null) !== (password === null)) throw new Error("must contain both a user and a password, or neither");
  return { host, port: Number(url.port) || (security === "tls" ? 465 : 587), security, user, password };
}

function securityOf(url: URL, host: string): SmtpServer["security"] {
  const asked = url.searchParams.get("tls");
  if (url.protocol === "smtps:") {
    if (url.search !== "") throw new Error("must have no ? with smtps://, which is always encrypted");
    return "tls";
  }
  if ([...url.searchParams.keys()].some((name) => name !== "tls") || ![null, "none", "required"].includes(asked))
    throw new Error("may have ?tls=required or ?tls=none and nothing else");
  if (asked === null) return LOOPBACK.includes(host) ? "none" : "starttls";
  return asked === "none" ? "none" : "starttls";
}

function decoded(part: string): string | null {
  if (part === "") return null;
  try {
    return decodeURIComponent(part);
  } catch {
    throw new Error("must have every % of its user and password written as %25");
  }
}

/** Returns the name that the certificate is checked for, or undefined for an IP address (RFC 6066 section 3). */
export function serverNameOf(host: string): string | undefined {
  return isIP(host) === 0 ? host : undefined;
}
