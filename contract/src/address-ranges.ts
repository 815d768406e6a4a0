/**
 * Lists of allowed addresses: CIDR ranges of IPv4 (RFC 4632) and IPv6 (RFC 4291 section 2.3). No I/O and no
 * platform API, since the server decides by them and the portal shows the decision beforehand.
 */

/** In one list. */
export const ADDRESS_RANGES_MAX = 32;
/** Length of the longest range: an IPv6 address with an IPv4 one in it, and a prefix length. */
export const ADDRESS_RANGE_CHARS_MAX = 49;

/** Addresses that begin with the same bits. */
export interface AddressRange {
  /** Four or sixteen; all bits after the first `bits` are zero. */
  readonly bytes: readonly number[];
  readonly bits: number;
}

/**
 * A range or a single address; undefined for other text. Bits after the prefix are dropped (10.1.2.3/8 is
 * 10.0.0.0/8), and IPv4 mapped into IPv6 (RFC 4291 section 2.5.5.2) becomes IPv4.
 */
export function parseAddressRange(text: string): AddressRange | undefined {
  const [address = "", length, ...rest] = text.split("/");
  const bytes = bytesOf(address);
  if (bytes === undefined || rest.length > 0) return undefined;
  if (length !== undefined && !/^(0|[1-9]\d{0,2})$/.test(length)) return undefined;
  const bits = length === undefined ? bytes.length * 8 : Number(length);
  if (bits > bytes.length * 8) return undefined;
  const isMapped = bits >= 96 && bytes.length === 16 && MAPPED.every((byte, i) => bytes[i] === byte);
  return isMapped ? cut(bytes.slice(MAPPED.length), bits - 96) : cut(bytes, bits);
}

/** The address of a peer, without the zone that link-local ones have. */
export function parseAddress(text: string): AddressRange | undefined {
  const [address = ""] = text.split("%", 1);
  return address.includes("/") ? undefined : parseAddressRange(address);
}

/** As it is kept and shown: one text for each range (RFC 5952), a single address without its length. */
export function addressRangeText({ bytes, bits }: AddressRange): string {
  const text = bytes.length === 4 ? bytes.join(".") : textOfV6(bytes);
  return bits === bytes.length * 8 ? text : `${text}/${bits}`;
}

/** Whether every address of `inner` is one of `outer`. */
export function containsRange(outer: AddressRange, inner: AddressRange): boolean {
  if (outer.bytes.length !== inner.bytes.length || outer.bits > inner.bits) return false;
  const whole = outer.bits >> 3;
  for (let i = 0; i < whole; i++) if (outer.bytes[i] !== inner.bytes[i]) return false;
  const rest = outer.bits & 7;
  return rest === 0 || outer.bytes[whole] === ((inner.bytes[whole] ?? 0) & maskOf(rest));
}

/** Whether every range of `inner` lies within one of `outer`. Neighbours in `outer` are not merged. */
export function containsRanges(outer: readonly AddressRange[], inner: readonly AddressRange[]): boolean {
  return inner.every((each) => outer.some((range) => containsRange(range, each)));
}

/** ::ffff:0:0/96 */
const MAPPED = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255];

function bytesOf(text: string): number[] | undefined {
  return text.includes(":") ? bytesOfV6(text) : bytesOfV4(text);
}

/** Four decimal numbers, without leading zeros: some read those as octal. */
function bytesOfV4(text: string): number[] | undefined {
  const parts = text.split(".");
  if (parts.length !== 4 || !parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part))) return undefined;
  const bytes = parts.map(Number);
  return bytes.every((byte) => byte <= 255) ? bytes : undefined;
}

/** RFC 4291 section 2.2. */
function bytesOfV6(text: string): number[] | undefined {
  const last = text.slice(text.lastIndexOf(":") + 1);
  if (last.includes(".")) {
    const [a = 0, b = 0, c = 0, d = 0] = bytesOfV4(last) ?? [];
    const groups = `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
    return bytesOfV4(last) === undefined ? undefined : bytesOfV6(text.slice(0, -last.length) + groups);
  }
  const halves = text.split("::").map((half) => (half === "" ? [] : half.split(":")));
  const groups = halves.flat();
  if (!groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return undefined;
  const [head = [], tail] = halves;
  if (halves.length > 2 || (tail === undefined ? groups.length !== 8 : groups.length > 7)) return undefined;
  const zeros = Array.from({ length: 8 - groups.length }, () => "0");
  return [...head, ...zeros, ...(tail ?? [])].flatMap((group) => {
    const number = Number.parseInt(group, 16);
    return [number >> 8, number & 255];
  });
}

function cut(bytes: readonly number[], bits: number): AddressRange {
  const kept = bytes.map((byte, i) => byte & maskOf(Math.max(0, Math.min(8, bits - i * 8))));
  return { bytes: kept, bits };
}

/** The first bits of a byte. */
function maskOf(bits: number): number {
  return (0xff << (8 - bits)) & 0xff;
}

/** RFC 5952 section 4: the longest run of zero groups, the first of equals, is left out; one alone is not. */
function textOfV6(bytes: readonly number[]): string {
  const groups = Array.from({ length: 8 }, (_, i) => (bytes[i * 2] ?? 0) * 256 + (bytes[i * 2 + 1] ?? 0));
  let [from, length] = [0, 1];
  for (let start = 0; start < 8; start++) {
    let end = start;
    while (end < 8 && groups[end] === 0) end++;
    if (end - start > length) [from, length] = [start, end - start];
  }
  const hex = (some: readonly number[]): string => some.map((group) => group.toString(16)).join(":");
  return length === 1 ? hex(groups) : `${hex(groups.slice(0, from))}::${hex(groups.slice(from + length))}`;
}
