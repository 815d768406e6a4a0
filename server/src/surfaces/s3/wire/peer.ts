import type { IncomingMessage } from "node:http";
import { BlockList, isIP } from "node:net";
import type { TLSSocket } from "node:tls";

/** The origin of a request, as far as it can be trusted. */
export interface Peer {
  readonly ip: string | null;
  readonly isSecure: boolean;
}

/**
 * Reads the forwarding fields of trusted proxies, and ignores those of all other senders.
 * @param trusted addresses and CIDR blocks
 */
export function createPeerReader(trusted: readonly string[]): (raw: IncomingMessage) => Peer {
  const list = new BlockList();
  for (const entry of trusted) {
    const [address = "", bits] = entry.split("/");
    const family = isIP(address) === 6 ? "ipv6" : "ipv4";
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  const isTrusted = (ip: string): boolean => isIP(ip) > 0 && list.check(ip, isIP(ip) === 6 ? "ipv6" : "ipv4");
  return (raw) => {
    const direct = plain(raw.socket.remoteAddress);
    const isTls = (raw.socket as Partial<TLSSocket>).encrypted === true;
    if (direct === null || trusted.length === 0 || !isTrusted(direct)) return { ip: direct, isSecure: isTls };
    const forwarded = String(raw.headers["x-forwarded-for"] ?? "").split(",");
    // The nearest address that is not a proxy of ours. The sender may have invented the addresses before it.
    const chain = forwarded.map((part) => plain(part.trim())).filter((ip): ip is string => ip !== null && isIP(ip) > 0);
    const ip = chain.findLast((address) => !isTrusted(address)) ?? chain[0] ?? direct;
    return { ip, isSecure: isTls || raw.headers["x-forwarded-proto"] === "https" };
  };
}

function plain(ip: string | undefined): string | null {
  if (ip === undefined || ip === "") return null;
  return ip.replace(/^::ffff:(?=\d+\.)/, "");
}
