import type { MaskName, RuleMatch } from "#domain/ingest-rules/index.ts";
import { CARD_DIGITS_MIN, mayNeedMask } from "./mask.ts";

/**
 * Tests of a row's text that show without parsing that a rule does not concern the row. They are true too often, but
 * never false wrongly.
 */

/** A text, or its bytes. */
interface Searched {
  includes(part: string): boolean;
}

/** What the text of a row must contain if it has the values of a match. */
export interface Needs {
  readonly parts: readonly string[];
  /** Finds the letters of its level in upper and lower case. */
  readonly level: RegExp | undefined;
  /** The range of its severity number. Undefined: any, or none. */
  readonly severity: { readonly from: number; readonly below: number } | undefined;
}

/** Each part contains only characters that JSON writes in one way, see `hidesText`. */
export function needsOf({ projectId, match }: { readonly projectId: string | null; readonly match: RuleMatch }): Needs {
  const { service, name, message_contains: part, level, attributes = {} } = match;
  const values = Object.entries(attributes).flatMap(([key, value]) => [
    ...(key.startsWith("/") ? [] : [key]),
    // Other values may be numbers or objects, whose text may have another form.
    ...(/^\p{L}/u.test(value) ? [value] : []),
  ]);
  const parts = [projectId, service, name, part, ...values].filter((each) => each !== null && each !== undefined);
  return {
    parts: parts.filter((each) => JSON.stringify(each) === `"${each}"`),
    level: level !== undefined && /^[a-z]+$/i.test(level) ? new RegExp(level, "iu") : undefined,
    severity: severityOfMatch(match),
  };
}

function severityOfMatch({ severity_from: from, severity_below: below }: RuleMatch): Needs["severity"] {
  return from === undefined && below === undefined ? undefined : { from: from ?? 0, below: below ?? Infinity };
}

/** Whether JSON text may write usual characters as escapes. */
export function hidesText(json: Searched): boolean {
  return json.includes("\\u") || json.includes("\\/");
}

/** Whether rows in this text may have the values of a match. For text that hides nothing. */
export function mayBeIn(json: Searched, { parts }: Needs): boolean {
  return parts.every((part) => json.includes(part));
}

const SEVERITY = '"severity":';

/** Whether the row in this line may have the values of a match. For a line that hides nothing. */
export function mayMatch(line: string, needs: Needs): boolean {
  if (!mayBeIn(line, needs)) return false;
  if (needs.level?.test(line) === false) return false;
  if (needs.severity === undefined) return true;
  const { from, below } = needs.severity;
  // An attribute may have the same name.
  for (let at = line.indexOf(SEVERITY); at >= 0; at = line.indexOf(SEVERITY, at + 1)) {
    const severity = Number.parseInt(line.slice(at + SEVERITY.length, at + SEVERITY.length + 2), 10);
    if (severity >= from && severity < below) return true;
  }
  return false;
}

const AT = "@".charCodeAt(0);

/** The patterns that may be in these rows. `text` returns the same rows. */
export function possibleMasks(rows: Buffer, text: () => string, patterns: readonly MaskName[]): readonly MaskName[] {
  if (rows.includes("\\u")) return patterns;
  return patterns.filter((name) => {
    if (name === "email") return rows.includes(AT);
    return name === "card" ? hasDigitRun(rows) : mayNeedMask(text(), [name]);
  });
}

/** The bytes of the digits and separators of a payment card. */
const CARD_BYTES = Uint8Array.from({ length: 256 }, (_, byte) =>
  "0123456789 -".includes(String.fromCharCode(byte)) ? 1 : 0,
);

/**
 * Whether so many digits and separators follow each other as a card has digits. It reads backwards from the last byte of
 * each possible run, so most bytes are not read: four times as fast as the expression.
 */
function hasDigitRun(bytes: Buffer): boolean {
  for (let last = CARD_DIGITS_MIN - 1; last < bytes.length;) {
    let at = last;
    while (at > last - CARD_DIGITS_MIN && CARD_BYTES[bytes[at] ?? 0] === 1) at -= 1;
    if (at === last - CARD_DIGITS_MIN) return true;
    last = at + CARD_DIGITS_MIN;
  }
  return false;
}
