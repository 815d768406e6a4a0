import type { ParsedLine, TextEntry } from "./entry.ts";

const IPV4 = "\\d{1,3}(?:\\.\\d{1,3}){3}";
const IPV6 = "[0-9a-fA-F]{0,4}(?::[0-9a-fA-F]{0,4}){2,7}";
const ADDRESS = `(?:${IPV4}|${IPV6})`;

const REQUEST =
  /"(?<method>GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|CONNECT|TRACE|PROPFIND) (?<target>\S{1,8192})(?: HTTP\/[\d.]+)?"/;
const CLIENT_BEFORE_REQUEST = new RegExp(`^(${ADDRESS})(?:, ?${ADDRESS})* "`);
const STATUS = /(?:\bstatus(?: code)?[:=] ?|HTTP\/[\d.]+" )(\d{3})\b/i;
const BYTES = /\b(?:len|length|bytes|size)[:=] ?(\d{1,15})\b/;
const FROM = new RegExp(
  `(?:\\b(?:from |client: ?|rhost=)|\\[client )(${ADDRESS})(?::(\\d{1,5}))?(?= |,|\\]|:|;|$)(?: port (\\d{1,5}))?`,
);
const TIME_S = /\b(?:time|request_time|took)[:=]? (\d{1,9}(?:\.\d{1,12})?)(?: ?(ms|milliseconds|s|seconds|secs?)\b)?/i;
const USER = /\b(?:[Ff]or|Accepted \S+ for|Invalid user|invalid user) (invalid user )?(\S{1,256}) from /;
const PAM_USER = / user=(\S{1,256})/;
const INSTANCE = /\[instance: ([0-9a-f-]{36})\]/;

/**
 * Finds the parts of a message that most programs write in the same way: a request, its status and duration, its
 * client, its user. Fields that the format has already found stay.
 */
export function addDetails(entry: ParsedLine): void {
  const { message, attributes } = entry;
  const found: TextEntry["attributes"] = { ...requestDetails(message), ...originDetails(message) };
  const instance = INSTANCE.exec(message)?.[1];
  if (instance !== undefined) found["instance_id"] = instance;
  for (const [name, value] of Object.entries(found)) attributes[name] ??= value;
}

/** Returns `method`, `path` and `query` of a request target. */
export function targetDetails(method: string, target: string): TextEntry["attributes"] {
  const mark = target.indexOf("?");
  if (mark === -1) return { method, path: target };
  return { method, path: target.slice(0, mark), query: target.slice(mark + 1) };
}

function requestDetails(message: string): TextEntry["attributes"] {
  const found: TextEntry["attributes"] = {};
  const time = TIME_S.exec(message);
  if (time !== null) found["duration_ms"] = milliseconds(time[1] ?? "0", time[2]);
  const request = REQUEST.exec(message)?.groups;
  if (request === undefined) return found;
  Object.assign(found, targetDetails(request["method"] ?? "", request["target"] ?? ""));
  const status = STATUS.exec(message)?.[1];
  if (status !== undefined) found["status"] = Number(status);
  const bytes = BYTES.exec(message)?.[1];
  if (bytes !== undefined) found["bytes"] = Number(bytes);
  const client = CLIENT_BEFORE_REQUEST.exec(message)?.[1];
  if (client !== undefined) found["client_ip"] = client;
  return found;
}

function originDetails(message: string): TextEntry["attributes"] {
  const found: TextEntry["attributes"] = {};
  const from = FROM.exec(message);
  if (from !== null) {
    found["client_ip"] = from[1] ?? "";
    const port = from[2] ?? from[3];
    if (port !== undefined) found["client_port"] = Number(port);
  }
  const user = USER.exec(message)?.[2] ?? PAM_USER.exec(message)?.[1];
  if (user !== undefined) found["user"] = user;
  return found;
}

/** The number is in seconds unless the line says milliseconds. Rounded to microseconds. */
function milliseconds(number: string, unit: string | undefined): number {
  const factor = unit?.toLowerCase().startsWith("m") === true ? 1 : 1000;
  return Math.round(Number(number) * factor * 1000) / 1000;
}
