import { AUDIT_RETENTION_DAYS_MIN } from "@mooring/contract";
import Type from "typebox";

export const AUDIT_SETTINGS = {
  audit_retention_days: {
    schema: Type.Union([Type.Null(), Type.Integer({ minimum: AUDIT_RETENTION_DAYS_MIN, maximum: 36_500 })]),
    default: null,
    form: "days from 30 to 36500",
    description:
      "default days that entries of audit logs are kept, also of the instance; none means for ever. Organizations may choose others",
  },
  audit_checkpoints_url: {
    schema: Type.Union([Type.Null(), Type.String({ pattern: "^(https?|s3)://[^/?#]+(/[^#]*)?$", maxLength: 2048 })]),
    default: null,
    form: "an address that begins with http:// or https://, or s3://BUCKET/PREFIX",
    description:
      "receiver of signed checkpoints of all audit logs each hour: an address gets a POST, and a bucket an object, with the keys of backups; without it, checkpoints are only in answers of GET /v1/audit/verify",
    secret: true,
    secretUrl: true,
  },
} as const;
