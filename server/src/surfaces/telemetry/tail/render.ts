import type { TakenBatch } from "#stores/telemetry/index.ts";
import type { Filter } from "./filter.ts";
import { idOf, type Position } from "./position.ts";
import { PLACE, Row } from "./row.ts";
import type { Seen } from "./seen.ts";

/** Formats a server-sent event (HTML, "Server-sent events"). `data` must be JSON without line breaks. */
export function eventText(event: string, data: string, id?: string): string {
  return `${id === undefined ? "" : `id: ${id}\n`}event: ${event}\ndata: ${data}\n\n`;
}

/** Returns the position after a batch. */
export function after(batch: TakenBatch, feedId: string): Position {
  return { feedId, seq: batch.seq + 1, index: 0, atMs: batch.atMs };
}

/** Whether the row is of one of these services. A row without a service is of none. */
function isOf(services: Seen["services"], row: Row): boolean {
  return services === undefined || services.has(row.text(PLACE.service) ?? "");
}

/**
 * Renders the rows of a batch, from `fromIndex` on, that are visible and match the filter. Null when a row belongs to a
 * project whose visibility is not known yet.
 */
export function renderBatch(
  batch: TakenBatch,
  fromIndex: number,
  { filter, seen, feedId }: { readonly filter: Filter; readonly seen: Seen; readonly feedId: string },
): string | null {
  let text = "";
  // The last event has the position after the batch, so it is sent only when no other event can follow.
  let last: { index: number; data: string } | undefined;
  const { seq, atMs } = batch;
  if (!filter.mayMatch(batch.rows)) return text;
  const lines = batch.rows.toString().split("\n");
  for (let index = fromIndex; index < batch.count; index++) {
    const line = lines[index] ?? "";
    if (!filter.mayMatch(line)) continue;
    const row = new Row(line);
    const shown = seen.shows(row.json(PLACE.project_id));
    if (shown === undefined) return null;
    if (!shown || !isOf(seen.services, row) || !filter.matches(row)) continue;
    if (last !== undefined) text += eventText("entry", last.data, idOf({ feedId, seq, index: last.index + 1, atMs }));
    last = { index, data: row.shown() };
  }
  return last === undefined ? text : text + eventText("entry", last.data, idOf(after(batch, feedId)));
}
