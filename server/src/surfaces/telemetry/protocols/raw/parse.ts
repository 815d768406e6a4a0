import { createTextReader, zoneOf, UTC, type OnNoTime, type TextEntry } from "#domain/telemetry/text/index.ts";
import { INGEST_ENTRY_BYTES_MAX, PROBLEM_PLACES_MAX } from "#kernel/limits.ts";
import { isoFromMs } from "#kernel/time.ts";
import { linesIn } from "../json-body.ts";
import type { ParseContext, Report } from "../parser.ts";

export interface RawReport extends Report {
  readonly accepted: number;
  readonly rejected: number;
  readonly errors: readonly { readonly pointer: string; readonly detail: string }[];
}

/** The longest line, in bytes: an entry has other members, too. */
const LINE_BYTES_MAX = INGEST_ENTRY_BYTES_MAX / 2;

/** Reads lines of text or JSON of any shape, as `mooring ingest --format text` does. */
export function parseRaw(body: Buffer, context: ParseContext): RawReport {
  const { service, timezone, on_no_time: onNoTime = "now", ...attributes } = context.settings;
  const { receivedMs, out } = context;
  const result = { accepted: 0, rejected: 0, errors: [] as { pointer: string; detail: string }[] };
  const refuse = (line: number, detail: string): void => {
    result.rejected += 1;
    if (result.errors.length < PROBLEM_PLACES_MAX) result.errors.push({ pointer: `/lines/${line}`, detail });
  };
  const nowIso = (): string => isoFromMs(receivedMs);
  const options = {
    zone: (timezone === undefined ? null : zoneOf(timezone)) ?? UTC,
    latestMs: () => receivedMs,
    nowIso,
    onNoTime: onNoTime === "join" ? undefined : (onNoTime as OnNoTime),
  };
  const reader = createTextReader(options, {
    entry: (entry, line) => {
      const isTimeless = reader.counts.time_from_arrival > 0;
      const refused = out.add({ rows: [{ entry: entryOf(entry, service, attributes) }], faults: [], isTimeless });
      if (refused === undefined) result.accepted += 1;
      else refuse(line, refused);
    },
    left: (line, _why, reason) => refuse(line, reason.replace(/ \(--.*/, "")),
  });
  for (const { bytes, number } of linesIn(body)) {
    const cut = bytes.length > LINE_BYTES_MAX;
    const text = (cut ? bytes.subarray(0, LINE_BYTES_MAX) : bytes).toString("utf8").replace(/\r$/, "");
    reader.read({ text, number, cut });
  }
  reader.flush();
  return result;
}

/** The request's service has priority over the program of a line. */
function entryOf(
  entry: TextEntry,
  service: string | undefined,
  attributes: Readonly<Record<string, string>>,
): Readonly<Record<string, unknown>> {
  const own = service ?? entry.service;
  return {
    ...entry,
    ...(own === undefined ? {} : { service: own }),
    attributes: { ...entry.attributes, ...attributes },
  };
}
