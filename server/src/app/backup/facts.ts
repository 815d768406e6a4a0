import type { BackupRecord } from "#stores/repository/index.ts";

/** Facts that a backup of this product has beside its list of files. */
export interface BackupFacts {
  /** Version of the product. */
  readonly version: string;
  readonly records: "sqlite" | "postgres";
  /** Whether it has the master key, under a passphrase. */
  readonly master_key: boolean;
  /** The id of the master key that opens the records. Null: there were no keys yet. */
  readonly master_key_id: string | null;
  /** Contents in a bucket. They are not in the backup. */
  readonly blobs_elsewhere: number;
  /** Rows of some tables, which a trial restore counts again. */
  readonly counts: Readonly<Record<string, number>>;
}

export type Backup = BackupRecord<BackupFacts>;

/** The path of the master key under a passphrase. */
export const MASTER_KEY_FILE = "master.key.json";
