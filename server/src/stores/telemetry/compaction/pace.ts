import type { Tables } from "../hot/tables.ts";
import type { TelemetrySettings } from "../settings.ts";
import type { CompactJob } from "./protocol.ts";

/** From this share of the slow-down limit on, a compaction does only necessary work. */
const ASKED_ONLY_SHARE = 0.5;

/** Returns whether the backlog is larger than normal. */
export function isBehind(tables: Tables, { compaction }: TelemetrySettings): boolean {
  if (tables.hotBytes <= compaction.behindBytes) return false;
  // Rows of many small tables may wait, but not when they make the log too long.
  if (tables.hotBytes > compaction.logBytes) return true;
  let bytes = 0;
  for (const { hotBytes } of tables.all()) if (hotBytes >= compaction.hotBytes) bytes += hotBytes;
  return bytes > compaction.behindBytes;
}

/** Returns how to compact now. */
export function paceOf(tables: Tables, settings: TelemetrySettings): Pick<CompactJob, "urgent" | "askedOnly"> {
  const urgent = isBehind(tables, settings);
  return { urgent, askedOnly: urgent && tables.hotBytes > settings.backlogBytes * ASKED_ONLY_SHARE };
}
