import type { MaskName } from "#domain/ingest-rules/index.ts";

/** Finds a pattern in texts. All work grows linearly with the text. */
interface Finder {
  /** Whether JSON text may contain the pattern. It may be true too often, but never false wrongly, except for escapes. */
  readonly mayBeIn: (json: string) => boolean;
  readonly mask: (text: string) => string;
}

const CARD_QUICK = /\d(?:[ -]?\d){12}/;
const TOKEN_QUICK =
  /[Bb][Ee][Aa][Rr][Ee][Rr]|eyJ|mr[a-z]{2,3}_|A[KS]IA|gh[a-z]_|github_pat_|glpat-|xox[a-z]-|[sr]k_|AIza|npm_|PRIVATE KEY/;

const FINDERS: Readonly<Record<MaskName, Finder>> = {
  card: { mayBeIn: (json) => CARD_QUICK.test(json), mask: maskCards },
  token: { mayBeIn: (json) => TOKEN_QUICK.test(json), mask: maskTokens },
  email: { mayBeIn: (json) => json.includes("@"), mask: maskEmails },
};

/** A character that is written as an escape may belong to any pattern. */
const ESCAPE = /\\u[0-9a-fA-F]/;

export function hasEscape(json: string): boolean {
  return json.includes("\\u") && ESCAPE.test(json);
}

/** Whether JSON text must be parsed and masked. */
export function mayNeedMask(json: string, patterns: readonly MaskName[]): boolean {
  return hasEscape(json) || patterns.some((pattern) => FINDERS[pattern].mayBeIn(json));
}

/** Replaces every place of these patterns by their names in brackets, such as `[email]`. */
export function maskText(text: string, patterns: readonly MaskName[]): string {
  let masked = text;
  for (const pattern of patterns) if (FINDERS[pattern].mayBeIn(masked)) masked = FINDERS[pattern].mask(masked);
  return masked;
}

/** Digits in groups with single spaces or dashes between them. */
const DIGIT_RUN = /\d+(?:[ -]\d+)*/g;
export const CARD_DIGITS_MIN = 13;
const CARD_DIGITS_MAX = 19;
/**
 * The beginnings and lengths of the numbers of Visa, Mastercard, American Express, Discover, Diners Club, JCB and UnionPay
 * (ISO/IEC 7812-1). Other numbers with a right check digit are mostly times and identifiers.
 */
const CARD =
  /^(?:4(?:\d{12}|\d{15}|\d{18})|(?:5[1-5]|222[1-9]|22[3-9]\d|2[3-6]\d\d|27[01]\d|2720)\d+|3[47]\d{13}|6(?:011|4[4-9]\d|5\d\d)\d{12}|3(?:0[0-5]|[68]\d)\d{11}|35(?:2[89]|[3-8]\d)\d{12}|62\d{14,17})$/;
const MASTERCARD = /^[25][1-7]/;

function maskCards(text: string): string {
  return text.replace(DIGIT_RUN, (run, at: number) => {
    // A part of a longer word or of a fraction is not a card.
    if (/[\w.]/.test(text.charAt(at - 1)) || /\w/.test(text.charAt(at + run.length))) return run;
    return maskGroups(run);
  });
}

/** Masks the first groups that together are a card, then the rest in the same way: a date or a code may be beside it. */
function maskGroups(run: string): string {
  const parts = run.split(/([ -])/);
  let out = "";
  for (let from = 0; from < parts.length;) {
    const to = endOfCard(parts, from);
    out += to === undefined ? (parts[from] ?? "") : "[card]";
    from = to ?? from + 1;
    if (from < parts.length) out += parts[from++] ?? "";
  }
  return out;
}

/** Returns the index behind the card that begins at a group. Even indexes are groups, odd ones separators. */
function endOfCard(parts: readonly string[], from: number): number | undefined {
  let digits = "";
  for (let at = from; at < parts.length && digits.length < CARD_DIGITS_MAX; at += 2) {
    digits += parts[at] ?? "";
    if (isCard(digits)) return at + 1;
  }
  return undefined;
}

export function isCard(digits: string): boolean {
  const { length } = digits;
  if (length < CARD_DIGITS_MIN || length > CARD_DIGITS_MAX || !CARD.test(digits)) return false;
  return (length === 16 || !MASTERCARD.test(digits)) && hasCheckDigit(digits);
}

/** The check digit of Luhn (ISO/IEC 7812-1, annex B). */
function hasCheckDigit(digits: string): boolean {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits[digits.length - 1 - i]);
    const doubled = i % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

/** After a scheme, everything is a token. The scheme stays. */
const BEARER = /\b(bearer)(\s{1,8})[\w\-.~+/]{8,}=*/gi;
/** Tokens that their beginning shows. No expression begins inside a word, so each character is read a few times at most. */
const TOKENS = [
  /(?<![\w-])eyJ[\w-]{8,}\.[\w-]{2,}(?:\.[\w-]*)?/g, // JWT (RFC 7519)
  /(?<!\w)mr(?:cs|st|iv|rl|pat|wh|ac|dc|op|ik)_[0-9A-Za-z]{49}/g, // our own
  /(?<!\w)A[KS]IA[0-9A-Z]{16}(?!\w)/g, // Amazon Web Services
  /(?<!\w)gh[oprsu]_\w{36,255}/g, // GitHub
  /(?<!\w)github_pat_\w{22,255}/g,
  /(?<![\w-])glpat-[\w-]{20,255}/g, // GitLab
  /(?<![\w-])xox[abeoprs]-[\w-]{10,255}/g, // Slack
  /(?<!\w)[rs]k_(?:live|test)_\w{16,255}/g, // Stripe
  /(?<![\w-])AIza[\w-]{35}/g, // Google
  /(?<!\w)npm_\w{36}(?!\w)/g, // npm
] as const;
const PRIVATE_KEY = /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----/g;
const PRIVATE_KEY_END = "PRIVATE KEY-----";

function maskTokens(text: string): string {
  let masked = text.replace(BEARER, "$1$2[token]");
  for (const token of TOKENS) masked = masked.replace(token, "[token]");
  return masked.includes("-----BEGIN ") ? maskPrivateKeys(masked) : masked;
}

/** A key without its end was cut, so the rest of the text is masked. */
function maskPrivateKeys(text: string): string {
  let [out, done] = ["", 0];
  for (const {
    0: { length },
    index,
  } of text.matchAll(PRIVATE_KEY)) {
    if (index < done) continue;
    out += `${text.slice(done, index)}[token]`;
    const marker = text.indexOf("-----END ", index + length);
    const end = marker < 0 ? -1 : text.indexOf(PRIVATE_KEY_END, marker);
    if (end < 0) return out;
    done = end + PRIVATE_KEY_END.length;
  }
  return out + text.slice(done);
}

/** The longest parts of an address (RFC 5321 section 4.5.3.1). */
const LOCAL_CHARS_MAX = 64;
const DOMAIN_CHARS_MAX = 255;
const LOCAL_CHAR = /[\p{L}\p{N}.!#$%&'*+/=?^_`{|}~-]/u;
/** A domain with a dot. The last label begins with a letter: `left@1.2.3` is a version. */
const DOMAIN = /^(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?\.)+\p{L}[\p{L}\p{N}-]*[\p{L}\p{N}]/u;
const DOMAIN_CHARS = /[^\p{L}\p{N}.-]/u;

/** Looks around each `@`, because an expression that begins with the local part would read long words again and again. */
function maskEmails(text: string): string {
  let [out, done] = ["", 0];
  for (let at = text.indexOf("@"); at >= 0; at = text.indexOf("@", at + 1)) {
    const from = startOfLocal(text, at, done);
    const end = at + 1 + domainLength(text.slice(at + 1, at + 1 + DOMAIN_CHARS_MAX));
    if (from === at || end === at + 1) continue;
    out += `${text.slice(done, from)}[email]`;
    done = end;
  }
  return out + text.slice(done);
}

function startOfLocal(text: string, at: number, notBefore: number): number {
  let from = at;
  const least = Math.max(notBefore, at - LOCAL_CHARS_MAX);
  while (from > least && LOCAL_CHAR.test(text.charAt(from - 1))) from -= 1;
  // A path or a list before the address is not part of it.
  const local = text.slice(from, at);
  return at - (/[\p{L}\p{N}_+-][\p{L}\p{N}.!#$%&'*+?^_`{|}~-]*$/u.exec(local)?.[0].length ?? 0);
}

function domainLength(text: string): number {
  const end = text.search(DOMAIN_CHARS);
  const word = end < 0 ? text : text.slice(0, end);
  return DOMAIN.exec(word)?.[0].length ?? 0;
}
