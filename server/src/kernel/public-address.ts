import { BlockList, isIP } from "node:net";

/** IPv4 addresses that are not public: the special-purpose registry of RFC 6890, and internal addresses of clouds. */
const NOT_PUBLIC_V4: readonly (readonly [string, number])[] = [
  ["0.0.0.0", 8], // this network
  ["10.0.0.0", 8],
  ["100.64.0.0", 10], // shared by carriers, RFC 6598; one cloud has its metadata service here
  ["127.0.0.0", 8],
  ["168.63.129.16", 32], // a cloud's host agent, reachable only from its machines
  ["169.254.0.0", 16], // link-local; the metadata of most clouds
  ["172.16.0.0", 12],
  ["192.0.0.0", 24], // protocol assignments; the metadata of one cloud
  ["192.0.2.0", 24], // documentation
  ["192.31.196.0", 24], // AS112
  ["192.52.193.0", 24], // AMT
  ["192.88.99.0", 24], // 6to4 relays
  ["192.168.0.0", 16],
  ["192.175.48.0", 24], // AS112
  ["198.18.0.0", 15], // benchmarks
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4], // multicast
  ["240.0.0.0", 4], // reserved, broadcast
];

/**
 * Only 2000::/3 is assigned to the internet (RFC 4291 section 2.4). These parts of it are not public, or contain IPv4
 * addresses.
 */
const NOT_PUBLIC_V6: readonly (readonly [string, number])[] = [
  ["2001::", 23], // protocol assignments, Teredo, benchmarks, ORCHID
  ["2001:db8::", 32], // documentation
  ["2002::", 16], // 6to4 holds an IPv4 address
  ["2620:4f:8000::", 48], // AS112
  ["3fff::", 20], // documentation
];

const GLOBAL_V6 = listOf("ipv6", [["2000::", 3]]);
const BLOCKED_V4 = listOf("ipv4", NOT_PUBLIC_V4);
const BLOCKED_V6 = listOf("ipv6", NOT_PUBLIC_V6);

/**
 * Whether an address is on the public internet. False for loopback, private and link-local networks, metadata services,
 * multicast, IPv4 inside IPv6, addresses with a zone, and text that is not an address.
 */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 4) return !BLOCKED_V4.check(address, "ipv4");
  if (isIP(address) !== 6 || address.includes("%")) return false;
  return GLOBAL_V6.check(address, "ipv6") && !BLOCKED_V6.check(address, "ipv6");
}

function listOf(family: "ipv4" | "ipv6", subnets: readonly (readonly [string, number])[]): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of subnets) list.addSubnet(network, prefix, family);
  return list;
}
