import { WEBHOOK_SCHEMES, type ResultOf, type WEBHOOK_ROUTES } from "@mooring/contract";

import { exactValue } from "./exact.ts";

export type WebhookEvent = ResultOf<typeof WEBHOOK_ROUTES.getWebhookEvent>;

/** The filters of the events, in the address. */
export type Filters = {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly type?: string | undefined;
  readonly header?: string | undefined;
  readonly pointer?: string | undefined;
  readonly q?: string | undefined;
  /** `yes`, `no`, or a scheme. */
  readonly verified?: string | undefined;
};

const VERIFIED: ReadonlySet<string> = new Set(["yes", "no", ...WEBHOOK_SCHEMES].filter((each) => each !== "none"));
const POINTER = /^(\/[^/=]*)+(=[\s\S]*)?$/;
const HEADER = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}(:[\s\S]*)?$/;

/** Returns the error in a filter as a sentence, or null if it is valid. */
export function faultOf(name: keyof Filters, value: string | undefined): string | null {
  if (value === undefined || value === "") return null;
  if (name === "pointer" && !POINTER.test(value)) return "for example /order/id or /order/id=17";
  if (name === "verified" && !VERIFIED.has(value)) return "yes, no or a scheme";
  if (name === "header" && !HEADER.test(value)) return "for example X-Name or X-Name: value";
  return null;
}

/** Returns the parameters for the API. Invalid filters are omitted. */
export function queryOf(filters: Filters): Record<string, string> {
  const entries = Object.entries(filters) as [keyof Filters, string | undefined][];
  return Object.fromEntries(
    entries.flatMap(([name, value]) =>
      value === undefined || value === "" || faultOf(name, value) !== null ? [] : [[name, value]],
    ),
  );
}

/** Whether a live event matches. The server filters the list in the same way. */
export function fits(event: WebhookEvent, filters: Filters): boolean {
  const { from, to, type, header, pointer, q, verified } = queryOf(filters);
  if (from !== undefined && Date.parse(event.received_at) < Date.parse(from)) return false;
  if (to !== undefined && Date.parse(event.received_at) >= Date.parse(to)) return false;
  if (type !== undefined && event.type !== type) return false;
  if (q !== undefined && event.body?.toLowerCase().includes(q.toLowerCase()) !== true) return false;
  if (header !== undefined && !fitsHeader(event, header)) return false;
  if (pointer !== undefined && !fitsPointer(exactValue(event.body, event.json), pointer)) return false;
  return isVerifiedAs(event, verified);
}

function isVerifiedAs({ verified }: Pick<WebhookEvent, "verified">, wanted: string | undefined): boolean {
  if (wanted === undefined || wanted === "") return true;
  if (wanted === "yes") return verified !== "none";
  return verified === (wanted === "no" ? "none" : wanted);
}

function fitsHeader({ headers }: WebhookEvent, condition: string): boolean {
  const colon = condition.indexOf(":");
  const name = (colon < 0 ? condition : condition.slice(0, colon)).toLowerCase();
  const values = headers.filter(([each = ""]) => each.toLowerCase() === name).map(([, value = ""]) => value.trim());
  if (colon < 0) return values.length > 0;
  return values.includes(condition.slice(colon + 1).trim());
}

function fitsPointer(json: unknown, condition: string): boolean {
  const equals = condition.indexOf("=");
  const value = atPointer(json, equals < 0 ? condition : condition.slice(0, equals));
  if (value === undefined || equals < 0) return value !== undefined;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text === condition.slice(equals + 1);
}

/** Returns the value at a JSON pointer (RFC 6901). */
export function atPointer(value: unknown, pointer: string): unknown {
  let place = value;
  for (const part of pointer.split("/").slice(1)) {
    const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof place !== "object" || place === null || !Object.hasOwn(place, name)) return undefined;
    place = (place as Record<string, unknown>)[name];
  }
  return place;
}

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** Returns a SQL statement for the same events. */
export function sqlOf(webhookId: string, filters: Filters): string {
  const { from, to, type, header, pointer, q, verified = "" } = queryOf(filters);
  const where = [
    `webhook_id = ${quoted(webhookId)}`,
    from !== undefined && `timestamp >= ${quoted(from)}`,
    to !== undefined && `timestamp < ${quoted(to)}`,
    type !== undefined && `type = ${quoted(type)}`,
    q !== undefined && `contains(lower(body), ${quoted(q.toLowerCase())})`,
    header !== undefined && headerSql(header),
    pointer !== undefined && pointerSql(pointer),
    verified === "yes" && "verified <> 'none'",
    verified === "no" && "verified = 'none'",
    !["", "yes", "no"].includes(verified) && `verified = ${quoted(verified)}`,
  ].filter((condition) => condition !== false);
  return `SELECT timestamp, id, type, verified, ip, size_bytes, json\nFROM webhook_events\nWHERE ${where.join("\n  AND ")}\nORDER BY timestamp DESC LIMIT 100`;
}

function headerSql(header: string): string {
  const [name = "", ...value] = header.split(":");
  const isName = `lower(field->>0) = ${quoted(name.toLowerCase())}`;
  const isValue = value.length === 0 ? "" : ` AND field->>1 = ${quoted(value.join(":").trim())}`;
  return `len(list_filter(CAST(headers AS JSON[]), lambda field: ${isName}${isValue})) > 0`;
}

function pointerSql(pointer: string): string {
  const equals = pointer.indexOf("=");
  if (equals < 0) return `json_exists(json, ${quoted(pointer)})`;
  return `json->>${quoted(pointer.slice(0, equals))} = ${quoted(pointer.slice(equals + 1))}`;
}
