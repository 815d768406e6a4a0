import Type from "typebox";

/** Settings of the server's own backups: a part of `SETTINGS`. */
export const BACKUP_SETTINGS = {
  backup_dir: {
    schema: Type.Union([Type.Null(), Type.String({ minLength: 1 })]),
    default: null,
    form: "a directory",
    description: "directory for backups: those of the portal, the schedule and `mooring backup`",
  },
  backup_interval_hours: {
    schema: Type.Union([Type.Null(), Type.Integer({ minimum: 1, maximum: 8760 })]),
    default: null,
    form: "hours from 1 to 8760",
    description: "hours between scheduled backups; if not set, there are none",
  },
  backup_keep: {
    schema: Type.Integer({ minimum: 1, maximum: 1000 }),
    default: 7,
    description: "number of finished backups to keep; scheduled backups delete older ones",
  },
} as const;
