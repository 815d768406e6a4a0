import type { FastifyReply, FastifyRequest } from "fastify";

/** The prefix makes browsers require Secure, this exact host and `Path=/` (RFC 6265bis section 4.1.3.2). */
export const SESSION_COOKIE = "__Host-mooring";

/** Returns the value of a cookie (RFC 6265 section 5.4); undefined when it is absent, empty, or sent more than once. */
export function cookieOf(request: FastifyRequest, name: string): string | undefined {
  const pairs = (request.headers.cookie ?? "").split(";").map((pair) => pair.trim());
  const values = pairs.filter((pair) => pair.startsWith(`${name}=`)).map((pair) => pair.slice(name.length + 1));
  return values.length === 1 && values[0] !== "" ? values[0] : undefined;
}

/**
 * Sets a cookie that scripts can't read. Browsers send it with links from other sites, but with no other cross-site
 * request.
 */
export function setCookie(reply: FastifyReply, name: string, value: string, maxAgeS: number): void {
  void reply.header("set-cookie", `${name}=${value}; Path=/; Max-Age=${maxAgeS}; HttpOnly; Secure; SameSite=Lax`);
}

export function clearCookie(reply: FastifyReply, name: string): void {
  setCookie(reply, name, "", 0);
}
