import { LEVEL_CHARS_MAX } from "#kernel/limits.ts";
import { exactJson } from "#kernel/json-text.ts";
import { severityName, severityOf } from "#kernel/severity.ts";
import { isObject, type JsonObject } from "../wire/check.ts";
import { unmarkedName } from "../wire/order.ts";
import { objectOf } from "../wire/otlp/values.ts";

/** The level of an entry that has none. It has no severity, because the server does not guess one. */
const UNSPECIFIED = "unspecified";

/** Names of fields, the best first: ECS, then common loggers. A dot leads into an object, unless a name has it. */
const NAMES = {
  message: ["message", "msg", "log", "event.original", "short_message", "text"],
  level: ["log.level", "level", "severity", "severity_text", "levelname", "loglevel", "log_level", "lvl"],
  service: ["service.name", "service", "service_name", "app"],
  trace_id: ["trace.id", "trace_id", "traceId"],
  span_id: ["span.id", "span_id", "spanId"],
} as const;

/** The fields that a protocol sends beside a document. They have priority. */
export interface SentFields {
  readonly timestamp: string | undefined;
  readonly level?: string | undefined;
  readonly service?: string | undefined;
  readonly trace_id?: string | undefined;
  readonly span_id?: string | undefined;
  /** The service if the document has none. */
  readonly fallbackService?: string | undefined;
  readonly attributes: readonly (readonly [string, unknown])[];
}

/** Builds the entry of a JSON object with a logger's fields. Members that became fields are not attributes, too. */
export function documentEntryOf(document: JsonObject, sent: SentFields, used: readonly string[] = []): JsonObject {
  const taken = new Set<string>(used);
  const find = (names: readonly string[]): string | undefined => fieldOf(document, names, taken);
  const message = find(NAMES.message) ?? "";
  const fields = {
    timestamp: sent.timestamp,
    level: levelOf(sent.level ?? find(NAMES.level)),
    message,
    service: sent.service ?? find(NAMES.service) ?? sent.fallbackService,
    trace_id: sent.trace_id ?? find(NAMES.trace_id),
    span_id: sent.span_id ?? find(NAMES.span_id),
  };
  const rest = Object.entries(document).filter(([name]) => !taken.has(name));
  return {
    ...fields,
    attributes: objectOf([...rest.map(([name, value]) => [unmarkedName(name), value] as const), ...sent.attributes]),
  };
}

/** Builds the entry of a line of text, which is the message, unchanged. */
export function textEntryOf(line: string, { fallbackService, ...sent }: SentFields): JsonObject {
  const { attributes, ...fields } = sent;
  return {
    ...fields,
    service: sent.service ?? fallbackService,
    level: levelOf(sent.level),
    message: line,
    attributes: objectOf(attributes),
  };
}

/** Returns the first field that is a text or a number, and notes the member that it is. */
function fieldOf(document: JsonObject, names: readonly string[], taken: Set<string>): string | undefined {
  for (const name of names) {
    const value = document[name] ?? within(document, name);
    const text = textOf(value);
    if (text === undefined || text === "") continue;
    if (document[name] !== undefined) taken.add(name);
    return text;
  }
  return undefined;
}

function within(document: JsonObject, path: string): unknown {
  const dot = path.indexOf(".");
  const inner = dot < 0 ? undefined : document[path.slice(0, dot)];
  return isObject(inner) ? inner[path.slice(dot + 1)] : undefined;
}

function textOf(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (exactJson.isRawJSON(value)) return value.rawJSON;
  return typeof value === "number" ? String(value) : undefined;
}

/** The numbers of bunyan and pino become names. */
function levelOf(level: string | undefined): string {
  const text = level?.trim() ?? "";
  if (text === "") return UNSPECIFIED;
  return ((/^\d+$/.test(text) ? severityName(severityOf(text) ?? 0) : undefined) ?? text).slice(0, LEVEL_CHARS_MAX);
}
