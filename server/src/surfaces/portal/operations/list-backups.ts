import type { PORTAL_ROUTES, ResultOf } from "@mooring/contract";
import type { Operation } from "#http/index.ts";
import { isoFromMs } from "#kernel/time.ts";
import type { PortalSurfaceDeps } from "../index.ts";
import type { InstanceBackup } from "../instance.ts";

export function listBackups(deps: PortalSurfaceDeps): Operation<typeof PORTAL_ROUTES.listBackups> {
  return async (_input, { reply }) => {
    void reply.header("cache-control", "no-store");
    const { directory, reason, running, failure, intervalHours, keep } = deps.backups.state();
    return {
      directory,
      reason,
      running_since: running === null ? null : isoFromMs(running.startedMs),
      failure: failure === null ? null : { at: isoFromMs(failure.atMs), detail: failure.detail },
      interval_hours: intervalHours,
      keep,
      items: (await deps.backups.list()).map(backupBody),
    };
  };
}

function backupBody({
  name,
  isRunning,
  manifest,
}: InstanceBackup): ResultOf<typeof PORTAL_ROUTES.listBackups>["items"][number] {
  if (manifest === null) return { name, state: isRunning ? "running" : "unfinished", made: null };
  const { version, started_at, finished_at, files, bytes, linked_bytes, master_key, blobs_elsewhere } = manifest;
  const made = { version, started_at, finished_at, files, bytes, linked_bytes, master_key, blobs_elsewhere };
  return { name, state: "good", made };
}
