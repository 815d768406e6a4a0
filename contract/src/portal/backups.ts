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

const PartKind = Type.Enum(["organization", "project", "bucket", "file"]);
const Credentials = Type.Enum(["revoked", "kept"]);
const PartText = Type.String({ minLength: 1, maxLength: 100 });

const Restore = Type.Object({
  id: Type.String(),
  state: Type.Enum(["running", "done", "failed"]),
  backup: nullable(Type.String({ description: "name of the backup; null: the newest" })),
  kind: PartKind,
  organization: nullable(Type.String()),
  name: nullable(Type.String()),
  slug: nullable(Type.String()),
  credentials: Credentials,
  started_at: Timestamp,
  ended_at: nullable(Timestamp),
  detail: nullable(Type.String({ description: "the result, or why it failed" })),
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
  listRestores: route({
    operationId: "listRestores",
    method: "GET",
    path: "/api/instance/restores",
    tag: "portal",
    summary: "List the restores of parts of backups since the server's start, newest first",
    permission: "instance",
    result: Type.Object({ items: Type.Array(Restore) }),
    status: 200,
    problems: [],
  }),
  createRestore: route({
    operationId: "createRestore",
    method: "POST",
    path: "/api/instance/restores",
    tag: "portal",
    summary: "Restore an organization, a project, the objects of a bucket, or a file from a backup into this server",
    permission: "instance",
    recentSignIn: true,
    body: Type.Object(
      {
        backup: Type.Optional(nullable(Type.String({ maxLength: 64 }))),
        kind: PartKind,
        organization: Type.Optional(nullable(PartText)),
        name: Type.Optional(nullable(PartText)),
        slug: Type.Optional(nullable(PartText)),
        credentials: Type.Optional(Credentials),
      },
      closed,
    ),
    result: Type.Object({ id: Type.String() }),
    status: 202,
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
