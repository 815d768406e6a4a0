import { addDetails } from "../details.ts";
import { attributesOf, levelOf, type Format, type TextEntry } from "../entry.ts";
import { leadingLevel, LEVEL_WORD } from "../levels.ts";
import { timestampOf } from "../time.ts";

/** Optional name of a file or program, a date and time, then the rest. */
const STAMP =
  /^(?:(?<before>[^\s[<][^\s[]{0,255}) )?\[?(?<y>\d{4})-(?<mo>\d\d)-(?<d>\d\d)(?<t>[T ])(?<h>\d\d):(?<mi>\d\d):(?<s>\d\d)(?:[.,](?<f>\d{1,9}))?(?<o>Z|[+-]\d\d:?\d\d| (?:UTC|GMT|[+-]\d\d:?\d\d))?\]?:?(?: +|$)(?<rest>.*)$/s;

/** What loggers write between the time and the message; the first that fits counts. */
const HEADS: readonly RegExp[] = [
  // oslo.log: 2931 INFO nova.compute.manager [req-… user tenant - - -] message
  new RegExp(
    `^(?<pid>\\d+) (?<level>${LEVEL_WORD}) (?<logger>\\S+) (?:\\[(?<context>[^\\]]*)\\] ?)?(?<message>.*)$`,
    "s",
  ),
  // Spring Boot: INFO 1234 --- [app] [main] com.example.App : message
  new RegExp(
    `^(?<level>${LEVEL_WORD}) +(?<pid>\\d+) --- (?:\\[[^\\]]*\\] )?\\[ *(?<thread>[^\\]]*)\\] (?<logger>\\S+) *: (?<message>.*)$`,
    "s",
  ),
  // Python's logging: - name - LEVEL - message
  new RegExp(`^- (?<logger>\\S+) - (?<level>${LEVEL_WORD}) - (?<message>.*)$`, "s"),
  // PostgreSQL: [1234] user@database LOG:  message
  /^\[(?<pid>\d+)(?:-\d+)?\] (?:(?<user>[^@\s]*)@(?<database>\S+) )?(?<level>[A-Z]+\d?): +(?<message>.*)$/s,
  // Logback: [main] INFO com.example.App - message
  new RegExp(
    `^\\[(?<thread>[^\\]]+)\\] \\[?(?<level>${LEVEL_WORD})\\]? +(?:(?<logger>[\\w.$-]+) +(?:-|:) )?(?<message>.*)$`,
    "s",
  ),
  // [error] message
  new RegExp(`^\\[(?<level>${LEVEL_WORD})\\]:? *(?<message>.*)$`, "si"),
  // LEVEL com.example.App - message; LEVEL message
  new RegExp(
    `^(?<level>${LEVEL_WORD})(?: +|: *)(?:(?<logger>[\\w$-]+(?:\\.[\\w$-]+)+)(?::| -)? )?(?<message>.*)$`,
    "s",
  ),
];

/** rsyslog's and journalctl's own form: only where the time has a T and an offset, since words could be anything. */
const HOST_HEAD = /^(?<host>[\w.:-]+) (?<program>[^\s:[]+)(?:\[(?<pid>\d+)\])?: (?<message>.*)$/s;

const ATTRIBUTES = ["host", "program", "pid", "logger", "thread", "user", "database"];

/** Lines that begin with an ISO 8601 date and time, with or without a `T` and an offset. */
export const iso: Format = (line, context) => {
  const stamp = STAMP.exec(line)?.groups;
  if (stamp === undefined) return null;
  const timestamp = timestampOf(
    {
      year: Number(stamp["y"]),
      month: Number(stamp["mo"]),
      day: Number(stamp["d"]),
      hour: Number(stamp["h"]),
      minute: Number(stamp["mi"]),
      second: Number(stamp["s"]),
      fraction: stamp["f"] ?? "",
      offset: stamp["o"],
    },
    context.zone,
  );
  if (timestamp === null) return null;
  const rest = stamp["rest"] ?? "";
  const exact = stamp["t"] === "T" && stamp["o"] !== undefined;
  const head = headOf(rest, exact);
  const message = head["message"] ?? rest;
  const attributes = { ...beforeOf(stamp["before"]), ...attributesOf(head, ATTRIBUTES), ...contextOf(head["context"]) };
  const entry: TextEntry = { timestamp, level: levelOf(head["level"] ?? leadingLevel(message)), message, attributes };
  if (typeof attributes["program"] === "string") entry.service = attributes["program"];
  addDetails(entry);
  return entry;
};

function headOf(rest: string, exact: boolean): Readonly<Record<string, string | undefined>> {
  const host = exact ? HOST_HEAD.exec(rest)?.groups : undefined;
  if (host !== undefined) return host;
  for (const head of HEADS) {
    const groups = head.exec(rest)?.groups;
    if (groups !== undefined) return groups;
  }
  return {};
}

/** What stands before the time: the file that a line was gathered from, or the program. */
function beforeOf(before: string | undefined): TextEntry["attributes"] {
  if (before === undefined) return {};
  return before.includes(".log") ? { file: before } : { program: before };
}

/** The request context of OpenStack's services: request, user and tenant. */
function contextOf(context: string | undefined): TextEntry["attributes"] {
  const [request = "-", user = "-", tenant = "-"] = context?.split(" ") ?? [];
  return attributesOf({ request_id: request, user_id: user, tenant_id: tenant }, [
    "request_id",
    "user_id",
    "tenant_id",
  ]);
}
