import type { JsonObject } from "../wire/check.ts";
import type { SyslogMessage } from "./message.ts";

/** Levels by severity (RFC 5424 section 6.2.1). */
const LEVELS = ["fatal", "fatal", "fatal", "error", "warn", "info", "info", "debug"] as const;

const FACILITIES = (
  "kern user mail daemon auth syslog lpr news uucp cron authpriv ftp ntp audit alert clock " +
  "local0 local1 local2 local3 local4 local5 local6 local7"
).split(" ");

const UNSPECIFIED = "unspecified";
/** A time that is further ahead is a wrong clock. */
const AHEAD_MS_MAX = 86_400_000;

export interface Arrival {
  readonly nowMs: number;
  /** The sender's address. */
  readonly peer: string;
  /** Whether the end of the message was left out. */
  readonly cut: boolean;
}

/** Returns the entry of `logs`. A time that can't be right is kept as the attribute `sent_timestamp`. */
export function entryOf(message: SyslogMessage, { nowMs, peer, cut }: Arrival): JsonObject {
  const { timestamp, severity, facility, host, app, pid, messageId, sequence, data } = message;
  const sentMs = Date.parse(timestamp ?? "");
  const isUsable = sentMs <= nowMs + AHEAD_MS_MAX;
  return {
    timestamp: isUsable ? timestamp : new Date(nowMs).toISOString(),
    level: severity === undefined ? UNSPECIFIED : LEVELS[severity],
    message: message.text,
    ...(app === undefined ? {} : { service: app }),
    attributes: {
      host: host ?? peer,
      ...given("facility", facility === undefined ? undefined : FACILITIES[facility]),
      ...given("pid", pid),
      ...given("message_id", messageId),
      ...given("sequence", sequence),
      ...given("sent_timestamp", isUsable ? undefined : timestamp),
      ...(cut ? { cut: true } : {}),
      ...(Object.keys(data).length === 0 ? {} : { structured_data: data }),
    },
  };
}

function given(name: string, value: string | undefined): JsonObject {
  return value === undefined ? {} : { [name]: value };
}
