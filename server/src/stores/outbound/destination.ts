import { isIP } from "node:net";
import { isPublicAddress } from "#kernel/public-address.ts";
import { OutboundError } from "./failure.ts";

/** Longer ones are refused. */
export const URL_CHARS_MAX = 2048;

export interface Destination {
  readonly url: URL;
  /** A name, or an address without brackets. */
  readonly host: string;
}

/** The parsed URL of a destination whose form is allowed. @throws OutboundError `destination_refused` */
export function destinationOf(text: string, { privateAddresses }: { privateAddresses: boolean }): Destination {
  if (text.length > URL_CHARS_MAX) throw refused(`has more than ${URL_CHARS_MAX} characters`);
  const url = URL.parse(text);
  if (url === null) throw refused("is not a URL");
  // Whoever can read what is sent, or answer in the destination's place, is on the way of plain HTTP.
  const schemes = privateAddresses ? ["https:", "http:"] : ["https:"];
  if (!schemes.includes(url.protocol)) throw refused("must begin with https://");
  if (url.username !== "" || url.password !== "") throw refused("must not hold a user name or password");
  // The parser has made one form of all that stand for an address: 2130706433, 0x7f.1, 127.1, [::ffff:7f00:1].
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  if (isIP(host) !== 0) refuseUnlessAllowed([host], privateAddresses);
  return { url, host };
}

/** @throws OutboundError `destination_refused` when one of them may not be reached */
export function refuseUnlessAllowed(addresses: readonly string[], privateAddresses: boolean): void {
  if (privateAddresses || addresses.every(isPublicAddress)) return;
  throw refused("leads to an address that is not public");
}

function refused(reason: string): OutboundError {
  return new OutboundError("destination_refused", `the destination ${reason}`);
}
