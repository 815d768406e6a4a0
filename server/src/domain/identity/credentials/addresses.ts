import {
  ADDRESS_RANGES_MAX,
  addressRangeText,
  containsRange,
  parseAddress,
  parseAddressRange,
  type AddressRange,
} from "@mooring/contract";
import { Problem, type ProblemPlace } from "#kernel/problem.ts";

/** From where something may be used. Null: from anywhere. */
export type Addresses = readonly AddressRange[] | null;

/** Whether a request from this address may be answered; one whose address is not known may not. */
export type AddressTest = (ip: string | null | undefined) => boolean;

/** Answers that are kept for one credential. */
const KNOWN_MAX = 64;

/**
 * The ranges in a column.
 * @throws Error for another value: then nothing may be allowed by it
 */
export function parseAddresses(column: string | null): Addresses {
  return column === null ? null : column.split(" ").map(rangeOf);
}

export function renderAddresses(texts: readonly string[] | null): string | null {
  return texts === null ? null : texts.join(" ");
}

export function rangeOf(text: unknown): AddressRange {
  const range = typeof text === "string" ? parseAddressRange(text) : undefined;
  if (range === undefined) throw new Error("cannot read a list of allowed addresses: a range is none");
  return range;
}

/**
 * The ranges in their stored form, each once.
 * @param pointer of the list in the body
 * @throws Problem `invalid_body` with the place of each invalid one
 */
export function requireAddresses(texts: readonly string[] | null, pointer = "/allowed_addresses"): string[] | null {
  if (texts === null) return null;
  const errors: ProblemPlace[] = [];
  const found = texts.map((text, i) => {
    const range = parseAddressRange(text);
    if (range !== undefined) return addressRangeText(range);
    errors.push({ pointer: `${pointer}/${i}`, detail: "must be an address or a CIDR range, such as 192.0.2.0/24" });
    return "";
  });
  if (texts.length === 0 || texts.length > ADDRESS_RANGES_MAX)
    errors.push({ pointer, detail: `must have 1 to ${ADDRESS_RANGES_MAX} ranges; null: from anywhere` });
  if (errors.length > 0) throw new Problem("invalid_body", "The allowed addresses are not valid.", { errors });
  return [...new Set(found)];
}

/**
 * A test whether an address lies in each of the lists; null when all are open. Peers mostly stay the same few, so
 * results are cached as long as the state: 64 ranges take 4 µs, a cached result 30 ns.
 */
export function addressTest(lists: readonly Addresses[]): AddressTest | null {
  const closed = lists.filter((list) => list !== null);
  if (closed.length === 0) return null;
  const known = new Map<string, boolean>();
  return (ip) => {
    if (ip === null || ip === undefined) return false;
    const before = known.get(ip);
    if (before !== undefined) return before;
    const address = parseAddress(ip);
    const isAllowed =
      address !== undefined && closed.every((ranges) => ranges.some((range) => containsRange(range, address)));
    if (known.size >= KNOWN_MAX) known.clear();
    known.set(ip, isAllowed);
    return isAllowed;
  };
}
