import { openArchive, type Archive } from "#stores/archive/index.ts";
import { environmentAccess } from "../bucket-access.ts";
import type { Config } from "../config.ts";

type PlaceConfig = Pick<
  Config,
  "backup_dir" | "backup_s3_endpoint" | "backup_s3_region" | "backup_s3_access_key_id" | "backup_s3_secret_access_key"
>;

/** Opens a place of backups: a directory, or `s3://BUCKET/PREFIX`. @throws Error when a bucket has no key */
export async function openBackupPlace(config: PlaceConfig, place: string): Promise<Archive> {
  return openArchive(place, () => {
    const [accessKeyId, secretAccessKey] = [config.backup_s3_access_key_id, config.backup_s3_secret_access_key];
    if (accessKeyId !== null && secretAccessKey !== null)
      return {
        endpoint: config.backup_s3_endpoint ?? undefined,
        region: config.backup_s3_region,
        accessKeyId,
        secretAccessKey,
      };
    const access = environmentAccess();
    if (access !== undefined) return access;
    throw new Error(
      "a bucket needs backup_s3_access_key_id and backup_s3_secret_access_key, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment",
    );
  });
}

/** Whether the place is a bucket. */
export function isBucketPlace(place: string): boolean {
  return place.startsWith("s3://");
}
