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
        description: "those that take no room, since the files are those of the data directory",
      }),
      master_key: Type.Boolean(),
      blobs_elsewhere: Type.Integer({ description: "contents in a bucket, which are not in it" }),
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
      reason: nullable(Type.String({ description: "why none can be made; null: they can" })),
      running_since: nullable(Timestamp),
      failure: nullable(Type.Object({ at: Timestamp, detail: Type.String() })),
      interval_hours: nullable(Type.Integer()),
      keep: Type.Integer({ description: "finished ones that the schedule leaves" }),
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
    summary: "Begin a backup of everything that was acknowledged until now, without the master key",
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
