import type { PORTAL_ROUTES, ResultOf } from "@mooring/contract";
import { auditInstance } from "#domain/people/index.ts";
import { Problem } from "#kernel/problem.ts";
import { isoFromMs } from "#kernel/time.ts";
import type { PortalOperation } from "../deps.ts";
import type { InstanceBackup } from "../instance.ts";
import { originOf } from "../origin.ts";

export const listBackups: PortalOperation<"listBackups"> = async (deps, _input, { reply }) => {
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

/** Writes the audit entry before the backup starts, so that the backup contains it. */
export const createBackup: PortalOperation<"createBackup"> = async (deps, _input, context) => {
  const { reason, running } = deps.backups.state();
  if (reason === null && running === null) {
    const event = { action: "backup.create", target: { kind: "backup", id: "new" }, detail: {} };
    await auditInstance(deps.people, context.operator, event, originOf(context));
  }
  await deps.backups.begin();
  return undefined;
};

export const deleteBackup: PortalOperation<"deleteBackup"> = async (deps, { params: { name } }, context) => {
  if (!(await deps.backups.delete(name))) throw new Problem("not_found", "There is no backup of this name.");
  const event = { action: "backup.delete", target: { kind: "backup", id: name }, detail: {} };
  await auditInstance(deps.people, context.operator, event, originOf(context));
  return undefined;
};
