import { monthOf, timestampOf, type Zone } from "#domain/telemetry/text/index.ts";
import { readStructuredData, type StructuredData } from "./structured-data.ts";

/** A message of syslog, in any of the forms that senders use. An absent part is undefined. */
export interface SyslogMessage {
  /** 0 to 23 (RFC 5424 section 6.2.1). */
  readonly facility: number | undefined;
  /** 0 (emergency) to 7 (debug). */
  readonly severity: number | undefined;
  /** ISO 8601 with an offset. */
  readonly timestamp: string | undefined;
  readonly host: string | undefined;
  readonly app: string | undefined;
  readonly pid: string | undefined;
  readonly messageId: string | undefined;
  /** Cisco's sequence number. */
  readonly sequence: string | undefined;
  readonly data: StructuredData;
  /** The key that authenticates the message. */
  readonly key: string | undefined;
  readonly text: string;
}

export interface SyslogTimes {
  /** The zone of times without one. */
  readonly zone: Zone;
  readonly nowMs: number;
}

type Parts = Omit<SyslogMessage, "facility" | "severity">;

const EMPTY: Omit<Parts, "text"> = {
  timestamp: undefined,
  host: undefined,
  app: undefined,
  pid: undefined,
  messageId: undefined,
  sequence: undefined,
  data: {},
  key: undefined,
};

const PRIORITY = /^<(\d{1,3})>/;
const PRIORITY_MAX = 191;
/** RFC 5424 section 6.2, with longer fields than it allows. */
const HEADER = /^1 (\S{1,64}) (\S{1,255}) (\S{1,255}) (\S{1,255}) (\S{1,255})(?: |$)/;
const RFC_3339 = "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(?:\\.\\d{1,9})?(?:Z|[+-]\\d\\d:?\\d\\d)";
const SEQUENCE = /^(\d{1,10}): +(?=[*.]?[A-Z][a-z]{2} |%)/;
/** RFC 3164 section 4.1.2, with the year, fraction and zone that network devices add. */
const BSD_TIME =
  /^[*.]?([A-Z][a-z]{2}) {1,2}(\d{1,2}) (?:(\d{4}) )?(\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))?(?:(?: ([A-Z]{3,5}|[+-]\d\d:?\d\d))?:)?(?: |$)/;
const ISO_TIME = new RegExp(`^(${RFC_3339})(?: |$)`);
const TAG = /^([^\s:[\]<>%]{1,128})(?:\[([^\]\s]{1,128})\])?:(?: |$)/;
const TAG_WITH_PID = /^([^\s:[\]<>%]{1,128})\[([^\]\s]{1,128})\]:?(?: |$)/;
const MNEMONIC = /^%([A-Z0-9_]{1,64}(?:-[A-Z0-9_]{1,64})*-[0-7]-[A-Z0-9_]{1,64}): ?/;
/** rsyslog takes the version of a forwarded RFC 5424 message for a tag. */
const FORWARDED = new RegExp(`^1 (?=${RFC_3339} )`);

/** Parses one message (RFC 5424, RFC 3164 and what senders make of it). Every text is a message. */
export function parseSyslog(sent: string, times: SyslogTimes): SyslogMessage {
  const text = sent.replace(/^\u{feff}/u, "").replace(/[\0\r\n]+$/, "");
  const priority = PRIORITY.exec(text);
  const value = Number(priority?.[1] ?? Number.NaN);
  if (priority === null || value > PRIORITY_MAX)
    return { facility: undefined, severity: undefined, ...legacy(text, times) };
  const rest = text.slice(priority[0].length);
  return { facility: value >> 3, severity: value & 7, ...(ietf(rest) ?? legacy(rest, times)) };
}

/** RFC 5424. */
function ietf(rest: string): Parts | null {
  const header = HEADER.exec(rest);
  if (header === null) return null;
  const [whole, time, host, app, pid, messageId] = header;
  // Heroku leaves the structured data out.
  const isNil = /^-(?: |$)/.test(rest.slice(whole.length, whole.length + 2));
  const read = isNil ? null : readStructuredData(rest, whole.length);
  const end = isNil ? whole.length + 1 : (read?.end ?? whole.length);
  return {
    ...EMPTY,
    timestamp: present(time),
    host: present(host),
    app: present(app),
    pid: present(pid),
    messageId: present(messageId),
    data: read?.data ?? {},
    key: read?.key,
    text: withoutMark(rest.slice(end)),
  };
}

/** RFC 3164 describes what it found, so almost anything is valid. */
function legacy(rest: string, times: SyslogTimes): Parts {
  const sequence = SEQUENCE.exec(rest);
  const numbered = rest.slice(sequence?.[0].length ?? 0);
  const bsd = BSD_TIME.exec(numbered);
  const timestamp = bsd === null ? ISO_TIME.exec(numbered)?.[1] : bsdTimestamp(bsd, times);
  const timed = numbered.slice((bsd ?? ISO_TIME.exec(numbered))?.[0].length ?? 0);
  const isTimed = timed.length < numbered.length;
  const found = { ...EMPTY, timestamp: timestamp ?? undefined, sequence: sequence?.[1] };
  const mnemonic = MNEMONIC.exec(timed);
  if (mnemonic !== null) return { ...found, messageId: mnemonic[1], text: timed };
  return { ...found, ...(isTimed ? afterTime(timed) : afterTag(timed, TAG_WITH_PID, timed)) };
}

/** The host and the tag. Programs on the same machine leave the host out. */
function afterTime(rest: string): Partial<Parts> & Pick<Parts, "text"> {
  if (TAG.test(rest) || TAG_WITH_PID.test(rest)) return afterTag(rest, TAG, rest);
  const [whole, host] = /^(\S{1,255})(?: +|$)/.exec(rest) ?? ["", undefined];
  const content = rest.slice(whole.length);
  const forwarded = FORWARDED.test(content) ? ietf(content) : null;
  return forwarded ?? { host, ...afterTag(content, TAG, content) };
}

function afterTag(rest: string, first: RegExp, otherwise: string): Pick<Parts, "app" | "pid" | "text"> {
  const tag = first.exec(rest) ?? TAG_WITH_PID.exec(rest);
  if (tag === null) return { app: undefined, pid: undefined, text: withoutMark(otherwise) };
  return { app: tag[1], pid: tag[2], text: withoutMark(rest.slice(tag[0].length)) };
}

/** The year is the one that brings the time nearest to now. */
function bsdTimestamp(match: RegExpExecArray, { zone, nowMs }: SyslogTimes): string | null {
  const [, month = "", day, year, hour, minute, second, fraction = "", offset] = match;
  const thisYear = new Date(nowMs).getUTCFullYear();
  const years = year === undefined ? [thisYear, thisYear - 1, thisYear + 1] : [Number(year)];
  const of = (candidate: number, name: string | undefined): string | null =>
    timestampOf(
      {
        year: candidate,
        month: monthOf(month),
        day: Number(day),
        hour: Number(hour),
        minute: Number(minute),
        second: Number(second),
        fraction,
        offset: name,
      },
      zone,
    );
  // A zone that is not known is ignored.
  const found = years.map((each) => of(each, offset) ?? of(each, undefined)).filter((each) => each !== null);
  const distance = (each: string): number => Math.abs(Date.parse(each) - nowMs);
  return found.toSorted((a, b) => distance(a) - distance(b))[0] ?? null;
}

/** Undefined for the nil value (RFC 5424 section 6). */
function present(value: string | undefined): string | undefined {
  return value === "-" ? undefined : value;
}

/** Removes the byte order mark of RFC 5424 section 6.4, and the space that rsyslog puts before the text. */
function withoutMark(text: string): string {
  return text.replace(/^ {0,2}\u{feff}?/u, "");
}
