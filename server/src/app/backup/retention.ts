import type { Retention } from "#stores/repository/index.ts";
import type { Config } from "../config.ts";

type RetentionConfig = Pick<
  Config,
  "backup_keep" | "backup_keep_hourly" | "backup_keep_daily" | "backup_keep_weekly" | "backup_keep_monthly"
>;

export function retentionOf(config: RetentionConfig): Retention {
  return {
    latest: config.backup_keep,
    hourly: config.backup_keep_hourly,
    daily: config.backup_keep_daily,
    weekly: config.backup_keep_weekly,
    monthly: config.backup_keep_monthly,
  };
}
