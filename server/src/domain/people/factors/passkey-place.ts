import { isIP } from "node:net";
import { Problem } from "#kernel/problem.ts";
import type { PortalAddress } from "../portal-address.ts";

/** The host of the passkeys, and the origin that may use them (WebAuthn Level 3, section 5.1.2). */
export interface PasskeyPlace {
  readonly rpId: string;
  readonly origin: string;
}

/**
 * Returns the place where the request's browser can use passkeys. Undefined: it can't. Browsers create none for IP
 * addresses, nor without TLS except on this machine. On this machine, `localhost` is used if the request came by that
 * name.
 * @param host the request's `Host`
 */
export function passkeyPlaceOf(portal: PortalAddress, host: string | undefined): PasskeyPlace | undefined {
  const { hostname, protocol } = new URL(portal.origin);
  if (portal.localhostOrigin !== null) {
    const { localhostOrigin } = portal;
    return host === new URL(localhostOrigin).host ? { rpId: "localhost", origin: localhostOrigin } : undefined;
  }
  const isAddress = isIP(hostname) !== 0 || hostname.startsWith("[");
  return isAddress || protocol !== "https:" ? undefined : { rpId: hostname, origin: portal.origin };
}

/** @throws Problem `conflict` */
export function requirePasskeyPlace(portal: PortalAddress, host: string | undefined): PasskeyPlace {
  const place = passkeyPlaceOf(portal, host);
  if (place !== undefined) return place;
  const instead = portal.localhostOrigin === null ? "a host name with TLS" : portal.localhostOrigin;
  throw new Problem("conflict", `Browsers do not support passkeys at this address. Use ${instead}.`);
}
