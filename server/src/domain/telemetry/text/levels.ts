import type { Groups } from "./entry.ts";

/** Level words of loggers. They count in capitals, in brackets, before a colon, or at the beginning. */
const STRONG = [
  ..."TRACE FINEST FINER FINE DEBUG[1-5]? VERBOSE INFORMATION INFO NOTICE SUCCESS WARNING WARN ERROR ERR SEVERE FAILURE".split(
    " ",
  ),
  ..."CRITICAL CRIT EMERGENCY EMERG FATAL PANIC TRC DBG INF WRN FTL PNC".split(" "),
];
/** Level words that also have other meanings. In capitals they count only at the beginning or before a colon. */
const WEAK = ["CONFIG", "AUDIT", "LOG", "ALERT", "NOTE", "DPANIC", "DEBU", "FATA", "FAULT", "SYSTEM"];

/**
 * Source of an expression for one level word, to build other expressions. slog writes intermediate levels as `INFO+2`.
 */
export const LEVEL_WORD = `(?:${[...STRONG, ...WEAK].toSorted((a, b) => b.length - a.length).join("|")})(?:[+-]\\d{1,2})?`;

/** A level is searched within this many characters after the time. */
const LEVEL_SEARCH_CHARS = 200;
/** With more words of prose before it, a level word belongs to the message. */
const PROSE_MAX = 2;

const HIT = new RegExp(`(?<![A-Za-z0-9_])${LEVEL_WORD}(?![A-Za-z0-9_])`, "gi");
const IS_WEAK = new RegExp(`^(?:${WEAK.join("|")})$`, "i");
const KEYED = /(?<![A-Za-z])(?:level|lvl|severity|log[._]?level|levelname)["']?[=:]\s*["']?$/i;
const OPENED = /[[<({|"']\s*$/;
const CLOSED = /^\s*[\])>}|"']/;
const GROUPS = /\[[^[\]]*\]|\{[^{}]*\}|<[^<>]*>|\([^()]*\)/g;

/** A level word and its place. */
export interface FoundLevel {
  readonly level: string;
  readonly start: number;
  readonly end: number;
}

interface Hit extends FoundLevel {
  /** The text before and after the word. */
  readonly lead: string;
  readonly rest: string;
}

/** Finds the level word before the message, or null. `proseMax`: the most words of prose before it. */
export function findLevel(text: string, proseMax: number = PROSE_MAX): FoundLevel | null {
  const head = text.slice(0, LEVEL_SEARCH_CHARS);
  HIT.lastIndex = 0;
  for (let match = HIT.exec(head); match !== null; match = HIT.exec(head)) {
    const [start, end] = [match.index, HIT.lastIndex];
    const hit: Hit = { level: match[0], start, end, lead: head.slice(0, start), rest: head.slice(end, end + 16) };
    if (KEYED.test(hit.lead)) return hit;
    if (/"/.test(hit.lead) || proseIn(hit.lead) > proseMax) return null;
    if (isLevel(hit)) return hit;
  }
  return null;
}

const FIRST = new RegExp(`^[\\s[<(|*-]*${LEVEL_WORD}(?![\\w.-])`, "i");

/** Whether a text begins with a level word, after brackets and punctuation. */
export function startsWithLevel(text: string): boolean {
  return FIRST.test(text);
}

/** Removes the level when only punctuation is before it. Otherwise returns the whole text, so that nothing is lost. */
export function withoutLevel(text: string, { start, end }: FoundLevel): string {
  if (/[\w\]})>]/.test(text.slice(0, start))) return text.replace(/^[|:-] *(?=\S)/, "");
  return text.slice(end).replace(/^\s*(?:\/[\w.-]+)?[\])>}"']?(?:\s*[|:,]|\s+-+(?=\s))?\s*/, "");
}

function isLevel({ level, lead, rest }: Hit): boolean {
  const isFirst = !/[A-Za-z]/.test(lead.replace(GROUPS, ""));
  const isColon = /^\s{0,3}[:|]/.test(rest);
  if (OPENED.test(lead) && CLOSED.test(rest)) return true;
  const before = lead.at(-1) ?? " ";
  if (level === level.toUpperCase()) {
    if (before === ".") return rest.startsWith(":"); // channel.ERROR: of PHP's Monolog
    if (!/[\s[<({|:,;*#>\])]/.test(before) || !/^(?:$|[\s:|,\])>/([])/.test(rest)) return false;
    return !IS_WEAK.test(level) || isFirst || isColon;
  }
  if (IS_WEAK.test(level) || !/[\s[<({|:,;>\])]/.test(before)) return false;
  if (isColon) return isFirst || lead.endsWith(": ") || /^[\w.@/-]+(?:\[\d+\])?:? $/.test(lead);
  return isFirst && !isSentence(level, rest);
}

/** `Error returned from …`: the word begins a sentence, so it is not a level. */
function isSentence(level: string, rest: string): boolean {
  if (!/^(?:$|,? )/.test(rest)) return true;
  if (/^[A-Z]/.test(level)) return /^ [a-z]/.test(rest);
  return !/^(?:trace|debug|info|notice|warn|warning|error|critical|fatal)$/.test(level);
}

/** Counts words of prose: words in lower case with a space on both sides. After a colon even one word is enough. */
function proseIn(lead: string): number {
  const words = lead.replace(GROUPS, " ").match(/(?<![^\s])[A-Za-z]?[a-z]+(?=\s)/g)?.length ?? 0;
  const said = /\w: (?=.*[a-z]{2})/.test(lead) ? PROSE_MAX : 0;
  return words + (words > 0 ? said : 0);
}

/** Severities of syslog by number (RFC 5424 section 6.2.1). */
const SYSLOG = ["emerg", "alert", "crit", "err", "warning", "notice", "info", "debug"];

/** Level of a syslog priority value, `<PRI>`. */
export function syslogLevel(priority: number): string {
  return SYSLOG[priority % 8] ?? "info";
}

/** Levels that some formats write as one letter. */
const LETTERS: Groups = {
  V: "verbose",
  T: "trace",
  D: "debug",
  I: "info",
  N: "notice",
  W: "warning",
  E: "error",
  C: "critical",
  F: "fatal",
  A: "alert",
};

export function letterLevel(letter: string | undefined): string | undefined {
  return LETTERS[letter?.charAt(0).toUpperCase() ?? ""];
}
