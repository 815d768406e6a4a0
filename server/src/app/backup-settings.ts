import Type from "typebox";

/** Settings of the server's own backups: a part of `SETTINGS`. */
export const BACKUP_SETTINGS = {
  backup_dir: {
    schema: Type.Union([Type.Null(), Type.String({ minLength: 1 })]),
    default: null,
    form: "a directory",
    description: "directory of the backups that the portal, the schedule and `mooring backup` make",
  },
  backup_interval_hours: {
    schema: Type.Union([Type.Null(), Type.Integer({ minimum: 1, maximum: 8760 })]),
    default: null,
    form: "hours from 1 to 8760",
    description: "how often the server makes a backup by itself; never when not set",
  },
  backup_keep: {
    schema: Type.Integer({ minimum: 1, maximum: 1000 }),
    default: 7,
    description: "finished backups that stay after the server made one by itself; older ones are deleted",
  },
} as const;
