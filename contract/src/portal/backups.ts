import Type from "typebox";
import { closed, nullable } from "../organization/shapes.ts";
import { route } from "../route.ts";
import { Timestamp } from "../shared.ts";

const Backup = Type.Object({
  name: Type.String(),
  state: Type.Enum(["good", "damaged"]),
  fault: nullable(Type.String({ description: "why it can't be read" })),
  made: nullable(
    Type.Object({
      version: Type.String(),
      started_at: Timestamp,
      finished_at: Timestamp,
      files: Type.Integer(),
      bytes: Type.Integer(),
      added_bytes: Type.Integer({ description: "bytes that were new in the place of backups" }),
      master_key: Type.Boolean(),
      blobs_elsewhere: Type.Integer({ description: "contents in a bucket; the backup does not include them" }),
    }),
  ),
});

const Keep = Type.Object({
  latest: Type.Integer(),
  hourly: Type.Integer(),
  daily: Type.Integer(),
  weekly: Type.Integer(),
  monthly: Type.Integer(),
});

/** Backups of the server, for the operator. */
export const BACKUP_ROWS = {
  listBackups: route({
    operationId: "listBackups",
    method: "GET",
    path: "/api/instance/backups",
    tag: "portal",
    summary: "List the backups in the place of backups, newest first, and the state of the server's own ones",
    permission: "instance",
    result: Type.Object({
      directory: nullable(Type.String({ description: "directory, or address of a bucket" })),
      reason: nullable(Type.String({ description: "why a backup can't be made; null: it can" })),
      running: nullable(Type.Enum(["backup", "prune", "trial restore"])),
      running_since: nullable(Timestamp),
      failure: nullable(Type.Object({ at: Timestamp, detail: Type.String() })),
      last_success_at: nullable(Timestamp),
      interval_hours: Type.Integer({ description: "0: the server makes none by itself" }),
      keep: Keep,
      key: nullable(
        Type.Object({
          id: Type.String({ description: "public name of the key that encrypts backups" }),
          confirmed: Type.Boolean({ description: "whether a copy of the key elsewhere was confirmed" }),
        }),
      ),
      trial: nullable(
        Type.Object({ at: Timestamp, ok: Type.Boolean(), backup: nullable(Type.String()), detail: Type.String() }),
      ),
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
