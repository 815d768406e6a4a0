import Type from "typebox";
import { closed, nullable } from "../organization/shapes.ts";
import { route } from "../route.ts";
import { Timestamp } from "../shared.ts";

const Backup = Type.Object({
  name: Type.String({ description: "of its directory" }),
  state: Type.Enum(["good", "running", "unfinished"]),
  made: nullable(
    Type.Object({
      version: Type.String(),
      started_at: Timestamp,
      finished_at: Timestamp,
      files: Type.Integer(),
      bytes: Type.Integer(),
      linked_bytes: Type.Integer({
        description: "linked bytes: they take no disk space, because the data directory has the same files",
      }),
      master_key: Type.Boolean(),
      blobs_elsewhere: Type.Integer({ description: "contents in a bucket; the backup does not include them" }),
    }),
  ),
});

/** Backups of the server, for the operator. */
export const BACKUP_ROWS = {
  listBackups: route({
    operationId: "listBackups",
    method: "GET",
    path: "/api/instance/backups",
    tag: "portal",
    summary: "List the backups in the directory of backups, newest first, and the state of a running one",
    permission: "instance",
    result: Type.Object({
      directory: nullable(Type.String()),
      reason: nullable(Type.String({ description: "why a backup can't be made; null: it can" })),
      running_since: nullable(Timestamp),
      failure: nullable(Type.Object({ at: Timestamp, detail: Type.String() })),
      interval_hours: nullable(Type.Integer()),
      keep: Type.Integer({ description: "the number of backups that the schedule keeps" }),
      items: Type.Array(Backup),
    }),
    status: 200,
    problems: [],
  }),
  createBackup: route({
    operationId: "createBackup",
    method: "POST",
    path: "/api/instance/backups",
    tag: "portal",
    summary: "Start a backup of all acknowledged data, without the master key",
    permission: "instance",
    recentSignIn: true,
    body: Type.Object({}, closed),
    status: 204,
    problems: ["invalid_body", "conflict"],
  }),
  deleteBackup: route({
    operationId: "deleteBackup",
    method: "DELETE",
    path: "/api/instance/backups/{name}",
    tag: "portal",
    summary: "Delete a backup for good",
    permission: "instance",
    recentSignIn: true,
    params: Type.Object({ name: Type.String({ maxLength: 64 }) }),
    status: 204,
    problems: ["not_found", "conflict"],
  }),
} as const;
