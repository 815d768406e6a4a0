import type { PORTAL_ROUTES, ResultOf } from "@mooring/contract";
import { auditInstance } from "#domain/people/index.ts";
import { Problem } from "#kernel/problem.ts";
import { isoFromMs } from "#kernel/time.ts";
import type { PortalOperation } from "../deps.ts";
import type { InstanceBackup } from "../instance.ts";
import { originOf } from "../origin.ts";

export const listBackups: PortalOperation<"listBackups"> = async (deps, _input, { reply }) => {
  void reply.header("cache-control", "no-store");
  const state = await deps.backups.state();
  const { directory, reason, running, failure, lastSuccessAt, intervalHours, keep, key, trial } = state;
  return {
    directory,
    reason,
    running: running?.task ?? null,
    running_since: running === null ? null : isoFromMs(running.startedMs),
    failure,
    last_success_at: lastSuccessAt,
    interval_hours: intervalHours,
    keep,
    key,
    trial,
    items: (await deps.backups.list()).map(backupBody),
  };
};

function backupBody({
  name,
  fault,
  made,
}: InstanceBackup): ResultOf<typeof PORTAL_ROUTES.listBackups>["items"][number] {
  if (made === null) return { name, state: "damaged", fault, made: null };
  const { version, started_at, finished_at, files, bytes, added_bytes, master_key, blobs_elsewhere } = made;
  const facts = { version, started_at, finished_at, files, bytes, added_bytes, master_key, blobs_elsewhere };
  return { name, state: "good", fault, made: facts };
}

/** Writes the audit entry before the backup starts, so that the backup contains it. */
export const createBackup: PortalOperation<"createBackup"> = async (deps, _input, context) => {
  const { reason, running } = await deps.backups.state();
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
