import Type from "typebox";

/** Settings of the server's own backups: a part of `SETTINGS`. */
export const BACKUP_SETTINGS = {
  backup_dir: {
    schema: Type.Union([Type.Null(), Type.String({ minLength: 1 })]),
    default: null,
    form: "a directory",
    description: "directory of the backups of the portal, the schedule and `mooring backup`",
  },
  backup_interval_hours: {
    schema: Type.Union([Type.Null(), Type.Integer({ minimum: 1, maximum: 8760 })]),
    default: null,
    form: "hours from 1 to 8760",
    description: "hours between scheduled backups; no scheduled backups if not set",
  },
  backup_keep: {
    schema: Type.Integer({ minimum: 1, maximum: 1000 }),
    default: 7,
    description: "scheduled backups keep this many finished backups and delete older ones",
  },
} as const;
