import { BlockList, isIP } from "node:net";
import { isPublicAddress } from "#kernel/public-address.ts";
import { OutboundError } from "./failure.ts";

/** Longer URLs are refused. */
export const URL_CHARS_MAX = 2048;

/** Addresses that are allowed in addition to public ones. */
export interface Reachable {
  /** All addresses are allowed, also by plain HTTP. */
  readonly privateAddresses: boolean;
  /** Tells whether the operator has listed an address. Listed ones are allowed by plain HTTP too. */
  readonly listed: (address: string) => boolean;
  /** Whether the operator has listed addresses. */
  readonly hasList: boolean;
}

export interface Destination {
  readonly url: URL;
  /** A name, or an IP address without brackets. */
  readonly host: string;
}

/** Parses the URL of a destination and checks its form. @throws OutboundError `destination_refused` */
export function destinationOf(text: string, reachable: Reachable): Destination {
  // The parser drops line breaks and similar characters, so the checked text would differ from the given one.
  // eslint-disable-next-line no-control-regex -- it looks for control characters
  if (/[\u0000-\u0020\u007f]/.test(text)) throw refused("must not contain spaces or control characters");
  if (text.length > URL_CHARS_MAX) throw refused(`has more than ${URL_CHARS_MAX} characters`);
  const url = URL.parse(text);
  if (url === null) throw refused("is not a URL");
  // An attacker on the network path can read plain HTTP, or answer in place of the destination.
  const schemes = reachable.privateAddresses || reachable.hasList ? ["https:", "http:"] : ["https:"];
  if (!schemes.includes(url.protocol)) throw refused("must begin with https://");
  if (url.username !== "" || url.password !== "") throw refused("must not contain a user name or password");
  // The parser gives all spellings of an address one form: 2130706433, 0x7f.1, 127.1, [::ffff:7f00:1].
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  if (isIP(host) !== 0) refuseUnlessAllowed(url, [host], reachable);
  // RFC 6761 section 6.3: these names always mean this machine, also if a name server answers differently.
  else if (/(?:^|\.)localhost\.?$/.test(host)) refuseUnlessAllowed(url, [loopbackOf(reachable)], reachable);
  return { url, host };
}

function loopbackOf({ listed }: Reachable): string {
  return listed("::1") ? "::1" : "127.0.0.1";
}

/** @throws OutboundError `destination_refused` when one of the addresses is not allowed */
export function refuseUnlessAllowed(url: URL, addresses: readonly string[], reachable: Reachable): void {
  if (reachable.privateAddresses || addresses.every(reachable.listed)) return;
  if (url.protocol !== "https:") throw refused("must begin with https://");
  if (addresses.every((address) => isPublicAddress(address) || reachable.listed(address))) return;
  throw refused("resolves to an address that is not public");
}

/** @throws Error for a text that is neither an address nor a CIDR block */
export function reachableOf(options: {
  readonly privateAddresses: boolean;
  readonly allowedAddresses?: readonly string[];
}): Reachable {
  const { privateAddresses, allowedAddresses = [] } = options;
  const list = new BlockList();
  for (const block of allowedAddresses) {
    const [address = "", bits] = block.split("/");
    const family = isIP(address) === 6 ? "ipv6" : "ipv4";
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  const listed = (address: string): boolean => {
    const family = isIP(address);
    return family !== 0 && !address.includes("%") && list.check(address, family === 6 ? "ipv6" : "ipv4");
  };
  return { privateAddresses, listed, hasList: allowedAddresses.length > 0 };
}

function refused(reason: string): OutboundError {
  return new OutboundError("destination_refused", `the destination ${reason}`);
}
