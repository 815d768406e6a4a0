import { isoFromMs } from "#kernel/time.ts";
import type { Lifecycle } from "../retention/index.ts";
import type { Gap } from "./recover.ts";
import type { Spool } from "./spool.ts";

/** Tells each organization with an access log that rows may be missing. The limit counts rows of all organizations. */
export function recordGap(
  spool: Pick<Spool, "record">,
  { fromMs, toMs, rowsMax }: Gap,
  { lifecycle }: { readonly lifecycle: Pick<Lifecycle, "organizationsWithAccessLog"> },
): void {
  const row = {
    timestamp: isoFromMs(toMs),
    action: "log.gap",
    surface: "telemetry",
    outcome: "failed",
    actor_kind: "system",
    sample_rate: 1,
    detail: { from: isoFromMs(fromMs), to: isoFromMs(toMs), rows_at_most: rowsMax },
  };
  for (const orgId of lifecycle.organizationsWithAccessLog()) spool.record("access_log", orgId, JSON.stringify(row));
}
