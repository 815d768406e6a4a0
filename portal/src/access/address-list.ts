import {
  ADDRESS_RANGES_MAX,
  addressRangeText,
  containsRange,
  parseAddress,
  parseAddressRange,
} from "@mooring/contract/address-ranges.ts";

/** A typed list of addresses and ranges. */
export interface AddressList {
  /** As the server writes them, each once. */
  readonly ranges: readonly string[];
  /** Words that are neither. */
  readonly bad: readonly string[];
}

/** Ranges with commas, spaces or line ends between them. */
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

/** The error in a list, as a sentence; null: none. */
export function faultOf({ ranges, bad }: AddressList): string | null {
  const [first] = bad;
  if (first !== undefined) return `“${first.slice(0, 60)}” is neither an address nor a range such as 192.0.2.0/24.`;
  return ranges.length > ADDRESS_RANGES_MAX ? `${ranges.length} ranges; the most is ${ADDRESS_RANGES_MAX}.` : null;
}

/** As the API takes it: an empty list is none, and then it is open to every address. */
export function bodyOf({ ranges }: AddressList): string[] | null {
  return ranges.length === 0 ? null : [...ranges];
}

/** Whether an address lies in one of the ranges; null: every one does. */
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
