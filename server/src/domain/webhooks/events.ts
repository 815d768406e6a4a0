import { Compound } from "#kernel/json-places.ts";
import { parseExact } from "#kernel/json-text.ts";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Problem } from "#kernel/problem.ts";
import { isoFromMs } from "#kernel/time.ts";
import { decodeCursor, encodeCursor } from "#kernel/cursor.ts";
import type { TimePlace } from "#stores/metadata/index.ts";
import type { RecordSource } from "#stores/telemetry/index.ts";
import type { Page, PageQuery } from "#domain/organizations/index.ts";
import { usageOf } from "#domain/quotas/index.ts";
import {
  bodyBlob,
  countEvents,
  deletedWebhooks,
  eventById,
  eventsAfter,
  eventsBefore,
  eventsOfOrganization,
  newestSeq,
  rejectionRows,
  type EventFilters,
} from "./events-store.ts";
import { readBody } from "./body.ts";
import type { EventFeed } from "./feed.ts";
import { LazyJson } from "./request.ts";
import type { EventRow, EventsDeps, RejectionRow, WebhooksDeps } from "./types.ts";

/** Conditions that need the content of each event. */
export interface EventSearch extends EventFilters {
  /** `Name` or `Name:value`. */
  readonly header?: string | undefined;
  /** A JSON pointer, or `pointer=value`. */
  readonly pointer?: string | undefined;
  /** Text in the body; case is ignored. */
  readonly text?: string | undefined;
}

/** One search reads at most this many events, and this many bytes, on the main thread. Its cursor continues. */
const SEARCHED_MAX = 1000;
const SEARCHED_BYTES_MAX = 1024 * 1024;
const SEARCH_PAGE = 50;
const RECORDS_PAGE = 250;
/** Interval of the checks for other nodes' events while a reader waits. */
const LOOK_MS = 1000;

/** Lists events, newest first. @throws Problem `invalid_parameter` for a foreign cursor */
export async function listEvents(
  deps: Pick<WebhooksDeps, "metadata">,
  webhookId: string,
  search: EventSearch,
  { cursor, limit }: PageQuery,
): Promise<Page<EventRow>> {
  let before = cursor === undefined ? undefined : placeOf(cursor);
  const fits = matcherOf(search);
  const items: EventRow[] = [];
  let bytes = 0;
  for (let searched = 0; searched < SEARCHED_MAX && bytes < SEARCHED_BYTES_MAX;) {
    const wanted = fits === undefined ? limit + 1 : SEARCH_PAGE;
    const rows = await eventsBefore(deps.metadata.read, webhookId, before, { limit: wanted, filters: search });
    for (const row of rows) {
      if (items.length === limit) return { items, nextCursor: cursorBehind(before) };
      before = { atMs: row.received_at, tie: row.seq };
      bytes += row.headers.length + (row.body?.length ?? 0);
      if (fits === undefined || fits(row)) items.push(row);
    }
    if (rows.length < wanted) return { items, nextCursor: null };
    searched += rows.length;
    await nextTurn(); // Lets other requests run, because comparing events takes time.
  }
  return { items, nextCursor: cursorBehind(before) };
}

function placeOf(cursor: string): TimePlace {
  const [atMs, tie] = decodeCursor(cursor, ["number", "number"]);
  return { atMs, tie };
}

function cursorBehind(place: TimePlace | undefined): string | null {
  return place === undefined ? null : encodeCursor([place.atMs, place.tie]);
}

export async function findEvent(
  deps: Pick<WebhooksDeps, "metadata">,
  webhookId: string,
  id: string,
): Promise<EventRow | undefined> {
  return eventById(deps.metadata.read, webhookId, id);
}

/** Reads the body of an event. @throws Problem `unavailable` */
export async function bodyOf(deps: Pick<EventsDeps, "metadata" | "objects">, event: EventRow): Promise<Buffer> {
  if (event.body !== null) return Buffer.from(event.body);
  const blobId = await bodyBlob(deps.metadata.read, event.seq);
  if (blobId === undefined) return Buffer.alloc(0); // It was deleted in the meantime.
  const reader = await deps.objects.open(event.org_id, blobId);
  const chunks: Buffer[] = [];
  for await (const chunk of reader.chunks()) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Returns the cursor of a reader that has seen everything up to this number. */
export function cursorOf(seq: number): string {
  return encodeCursor([seq]);
}

/** Reads a cursor. `member`: the parameter or member that has it. @throws Problem `invalid_parameter`, or `code` */
export function seqOf(
  cursor: string,
  member: string,
  code: "invalid_parameter" | "invalid_body" = "invalid_parameter",
): number {
  try {
    return decodeCursor(cursor, ["number"])[0];
  } catch {
    const errors = [{ pointer: `/${member}`, detail: "must be the cursor of an event or of a poll's answer" }];
    throw new Problem(code, "The cursor is not from this list.", { errors });
  }
}

export interface ReadOptions {
  readonly afterSeq: number;
  readonly limit: number;
  readonly waitMs: number;
  readonly signal: AbortSignal;
}

/** Reads events after a number, oldest first. Waits for one when there are none. */
export async function readEvents(
  deps: Pick<WebhooksDeps, "metadata"> & { readonly feed: EventFeed },
  webhookId: string,
  { afterSeq, limit, waitMs, signal }: ReadOptions,
): Promise<EventRow[]> {
  const deadline = performance.now() + waitMs;
  for (;;) {
    const rows = await eventsAfter(deps.metadata.read, webhookId, afterSeq, { limit });
    const leftMs = deadline - performance.now();
    if (rows.length > 0 || leftMs <= 0 || signal.aborted) return rows;
    await deps.feed.wait(webhookId, Math.min(leftMs, LOOK_MS), signal);
  }
}

export async function newest(deps: Pick<WebhooksDeps, "metadata">, webhookId: string): Promise<number> {
  return newestSeq(deps.metadata.read, webhookId);
}

/** Lists rejections, newest first. @throws Problem `invalid_parameter` for a foreign cursor */
export async function listRejections(
  deps: Pick<WebhooksDeps, "metadata">,
  webhookId: string,
  { cursor, limit }: PageQuery,
): Promise<Page<RejectionRow>> {
  const beforeId = cursor === undefined ? undefined : decodeCursor(cursor, ["string"])[0];
  const rows = await rejectionRows(deps.metadata.read, webhookId, { beforeId, limit: limit + 1 });
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, nextCursor: rows.length > limit && last !== undefined ? encodeCursor([last.id]) : null };
}

/** Provides the events of an organization as rows of the table `webhook_events`. The number of an event is its mark. */
export function eventRecords({ metadata }: Pick<WebhooksDeps, "metadata">): RecordSource {
  const { read } = metadata;
  return {
    generation: async (orgId) =>
      [(await usageOf(read, "events", { org_id: orgId })).purged, ...(await deletedWebhooks(read, orgId))].join(" "),
    count: async (orgId, after, through) =>
      countEvents(read, orgId, { after, through, except: await deletedWebhooks(read, orgId) }),
    rowsAfter: async function* (orgId, mark) {
      const except = await deletedWebhooks(read, orgId);
      let afterSeq = mark;
      for (;;) {
        const rows = await eventsOfOrganization(read, orgId, { afterSeq, limit: RECORDS_PAGE, except });
        for (const row of rows) yield { mark: row.seq, row: () => recordOf(row) };
        const last = rows.at(-1);
        if (last === undefined || rows.length < RECORDS_PAGE) return;
        afterSeq = last.seq;
        await nextTurn();
      }
    },
  };
}

function recordOf(row: EventRow) {
  const { id, webhook_id, project_id, type, method, query, content_type, size, ip, verified } = row;
  const body = row.body === null ? null : Buffer.from(row.body);
  const read = body === null ? undefined : readBody(body);
  return {
    timestamp: isoFromMs(row.received_at),
    id,
    webhook_id,
    project_id,
    type,
    method,
    query,
    content_type,
    size_bytes: size,
    ip,
    verified,
    headers: row.headers,
    body_format: read?.format,
    body: read?.text ?? body?.toString("utf8"),
    body_base64: read?.format === "binary" ? body?.toString("base64") : null,
    json: read?.json,
  };
}

/** Returns a function that tests one event. Undefined when every event matches. */
export function matcherOf({ header, pointer, text }: EventSearch): ((row: EventRow) => boolean) | undefined {
  const conditions: ((row: EventRow) => boolean)[] = [];
  if (header !== undefined) conditions.push(headerMatcher(header));
  if (pointer !== undefined) conditions.push(pointerMatcher(pointer));
  if (text !== undefined) {
    const wanted = text.toLowerCase();
    conditions.push((row) => textOf(row).toLowerCase().includes(wanted));
  }
  return conditions.length === 0 ? undefined : (row) => conditions.every((fits) => fits(row));
}

function headerMatcher(condition: string): (row: EventRow) => boolean {
  const mark = condition.indexOf(":");
  const name = (mark === -1 ? condition : condition.slice(0, mark)).trim().toLowerCase();
  const value = mark === -1 ? undefined : condition.slice(mark + 1).trim();
  return (row) =>
    (JSON.parse(row.headers) as [string, string][]).some(
      ([field, content]) => field.toLowerCase() === name && (value === undefined || content === value),
    );
}

function pointerMatcher(condition: string): (row: EventRow) => boolean {
  const mark = condition.indexOf("=");
  const pointer = mark === -1 ? condition : condition.slice(0, mark);
  const value = mark === -1 ? undefined : condition.slice(mark + 1);
  const names = namesOf(pointer);
  return (row) => {
    if (row.body === null) return false;
    const body = Buffer.from(row.body);
    if (lacksOne(body, names)) return false;
    const found = new LazyJson(body).at(pointer);
    if (found === undefined || value === undefined) return found !== undefined;
    if (found instanceof Compound) return JSON.stringify(parseExact(found.text)) === value;
    return (typeof found === "string" ? found : JSON.stringify(found)) === value;
  };
}

/** Returns the names of members in a JSON pointer, as JSON texts. A number is left out: it may be a place in a list. */
function namesOf(pointer: string): Buffer[] {
  const names = pointer.split("/").slice(1);
  return names
    .filter((name) => !/^[0-9]+$/.test(name))
    .map((name) => Buffer.from(JSON.stringify(name.replaceAll("~1", "/").replaceAll("~0", "~"))));
}

/** Whether a document has no member of one of these names. It is not parsed. A backslash might hide a name. */
function lacksOne(body: Buffer, names: readonly Buffer[]): boolean {
  return !body.includes(0x5c) && names.some((name) => !body.includes(name));
}

function textOf(row: EventRow): string {
  return row.body === null ? "" : Buffer.from(row.body).toString("utf8");
}
