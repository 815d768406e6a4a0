import {
  ADDRESS_RANGES_MAX,
  addressRangeText,
  containsRange,
  parseAddress,
  parseAddressRange,
} from "@mooring/contract/address-ranges.ts";

/** A parsed list of addresses and ranges. */
export interface AddressList {
  /** In the server's notation, without duplicates. */
  readonly ranges: readonly string[];
  /** Words that are neither an address nor a range. */
  readonly bad: readonly string[];
}

/** Parses ranges that are separated by commas, spaces or line ends. */
export function readAddressList(text: string): AddressList {
  const ranges = new Set<string>();
  const bad: string[] = [];
  for (const word of text.split(/[\s,]+/)) {
    const range = parseAddressRange(word);
    if (range !== undefined) ranges.add(addressRangeText(range));
    else if (word !== "") bad.push(word);
  }
  return { ranges: [...ranges], bad };
}

/** Returns the error in a list as a sentence, or null. */
export function faultOf({ ranges, bad }: AddressList): string | null {
  const [first] = bad;
  if (first !== undefined) return `“${first.slice(0, 60)}” is neither an address nor a range such as 192.0.2.0/24.`;
  return ranges.length > ADDRESS_RANGES_MAX
    ? `${ranges.length} ranges. The list may have at most ${ADDRESS_RANGES_MAX}.`
    : null;
}

/** Returns the list for the API. Null allows every address. */
export function bodyOf({ ranges }: AddressList): string[] | null {
  return ranges.length === 0 ? null : [...ranges];
}

/** Whether an address is in one of the ranges. Null allows every address. */
export function allowsAddress(ranges: readonly string[] | null, text: string): boolean {
  if (ranges === null || ranges.length === 0) return true;
  const address = parseAddress(text);
  if (address === undefined) return false;
  return ranges.some((each) => {
    const range = parseAddressRange(each);
    return range !== undefined && containsRange(range, address);
  });
}

export function isSameList(one: readonly string[] | null, other: readonly string[] | null): boolean {
  return (one ?? []).toSorted().join() === (other ?? []).toSorted().join();
}
