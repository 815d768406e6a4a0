import type { Tables } from "../hot/tables.ts";
import type { TelemetrySettings } from "../settings.ts";
import type { CompactJob } from "./protocol.ts";

/** Share of the backlog at which appends are slowed down: from here on a compaction does only necessary work. */
const ASKED_ONLY_SHARE = 0.5;

/** Whether more waits for compaction than a moment's worth. */
export function isBehind(tables: Tables, { compaction }: TelemetrySettings): boolean {
  if (tables.hotBytes <= compaction.behindBytes) return false;
  // Rows of many small tables may wait for their time; they are too many when the log is too long for them.
  if (tables.hotBytes > compaction.logBytes) return true;
  let bytes = 0;
  for (const { hotBytes } of tables.all()) if (hotBytes >= compaction.hotBytes) bytes += hotBytes;
  return bytes > compaction.behindBytes;
}

/** How a compaction is to be done now. */
export function paceOf(tables: Tables, settings: TelemetrySettings): Pick<CompactJob, "urgent" | "askedOnly"> {
  const urgent = isBehind(tables, settings);
  return { urgent, askedOnly: urgent && tables.hotBytes > settings.backlogBytes * ASKED_ONLY_SHARE };
}
