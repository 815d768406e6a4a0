import ipaddr from "ipaddr.js";

/**
 * Lists of allowed addresses: CIDR ranges of IPv4 (RFC 4632) and IPv6 (RFC 4291 section 2.3). It has no I/O and uses no
 * platform API, because the server and the portal in the browser both use it.
 */

export const ADDRESS_RANGES_MAX = 32;
/** The length of the longest range: an IPv6 address that ends in an IPv4 address, with a prefix length. */
export const ADDRESS_RANGE_CHARS_MAX = 49;

/** Addresses that begin with the same bits. */
export interface AddressRange {
  /** Four or sixteen bytes. All bits after the first `bits` are zero. */
  readonly bytes: readonly number[];
  readonly bits: number;
}

/**
 * Parses a range or a single address; undefined for other text. Bits after the prefix are dropped (10.1.2.3/8 is
 * 10.0.0.0/8). IPv4 mapped into IPv6 (RFC 4291 section 2.5.5.2) becomes IPv4.
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

/** Parses the address of a peer, and drops the zone of a link-local address. */
export function parseAddress(text: string): AddressRange | undefined {
  const [address = ""] = text.split("%", 1);
  return address.includes("/") ? undefined : parseAddressRange(address);
}

/** Writes a range in one canonical form (RFC 5952), a single address without its length. */
export function addressRangeText({ bytes, bits }: AddressRange): string {
  const text = ipaddr.fromByteArray([...bytes]).toString();
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

/** Whether every range of `inner` lies within one range of `outer`. It does not merge neighbours in `outer`. */
export function containsRanges(outer: readonly AddressRange[], inner: readonly AddressRange[]): boolean {
  return inner.every((each) => outer.some((range) => containsRange(range, each)));
}

/** ::ffff:0:0/96 */
const MAPPED = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255];

/**
 * The library also accepts octal and hexadecimal numbers, missing parts and zones, and reads ::192.0.2.1 as mapped
 * IPv4. A list of allowed addresses must have one meaning only. So these forms are refused, or read by RFC 4291 section
 * 2.5.5.1.
 */
function bytesOf(text: string): number[] | undefined {
  const { IPv4, IPv6 } = ipaddr;
  if (!text.includes(":")) return IPv4.isValidFourPartDecimal(text) ? IPv4.parse(text).toByteArray() : undefined;
  const last = text.slice(text.lastIndexOf(":") + 1);
  if (text.includes("%") || (last.includes(".") && !IPv4.isValidFourPartDecimal(last))) return undefined;
  const full = text === `::${last}` ? `0${text}` : text;
  return IPv6.isValid(full) ? IPv6.parse(full).toByteArray() : undefined;
}

function cut(bytes: readonly number[], bits: number): AddressRange {
  const kept = bytes.map((byte, i) => byte & maskOf(Math.max(0, Math.min(8, bits - i * 8))));
  return { bytes: kept, bits };
}

/** A mask of the first `bits` bits of a byte. */
function maskOf(bits: number): number {
  return (0xff << (8 - bits)) & 0xff;
}
