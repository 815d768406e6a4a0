import Type from "typebox";
import { HTTP_URL, url } from "./upstream-settings.ts";

/** The number of backups of one period. */
function periods(maximum: number) {
  return Type.Integer({ minimum: 0, maximum });
}

const optionalText = Type.Union([Type.Null(), Type.String({ minLength: 1, maxLength: 256 })]);

/** Settings of backups: a part of `SETTINGS`. */
export const BACKUP_SETTINGS = {
  backup_dir: {
    schema: Type.Union([Type.Null(), Type.String({ minLength: 1 })]),
    default: null,
    form: "a directory, or s3://BUCKET/PREFIX",
    description:
      "place of backups: those of the portal, the schedule and `mooring backup`; if it is set, the server backs up by itself",
  },
  backup_interval_hours: {
    schema: Type.Integer({ minimum: 0, maximum: 8760 }),
    default: 1,
    form: "hours from 1 to 8760, or 0",
    description: "hours between the server's own backups; 0: it makes none by itself",
  },
  backup_keep: {
    schema: Type.Integer({ minimum: 1, maximum: 1000 }),
    default: 7,
    description: "number of newest backups to keep in any case; the server's own backups delete older ones",
  },
  backup_keep_hourly: { schema: periods(8760), default: 24, description: "number of hours with a backup that is kept" },
  backup_keep_daily: { schema: periods(3660), default: 7, description: "number of days with a backup that is kept" },
  backup_keep_weekly: { schema: periods(520), default: 4, description: "number of weeks with a backup that is kept" },
  backup_keep_monthly: { schema: periods(120), default: 6, description: "number of months with a backup that is kept" },
  backup_key: {
    schema: optionalText,
    default: null,
    description:
      "key that encrypts backups; if not set, backup.key in the data directory, which the first backup creates",
    secret: true,
  },
  backup_s3_endpoint: {
    schema: url,
    default: null,
    form: HTTP_URL,
    description: "address of the S3 store of backups; if not set, AWS in the region backup_s3_region",
  },
  backup_s3_region: {
    schema: Type.String({ pattern: "^[a-z0-9-]{1,63}$" }),
    default: "us-east-1",
    form: "the name of a region",
    description: "region of the bucket of backups",
  },
  backup_s3_access_key_id: {
    schema: optionalText,
    default: null,
    description: "access key ID with permission to read, write, list and delete in the bucket of backups",
  },
  backup_s3_secret_access_key: {
    schema: optionalText,
    default: null,
    description: "secret of that access key",
    secret: true,
  },
} as const;
