import type { Cutoff } from "#kernel/deletions.ts";
import type { MetadataStore, Tables, Writer } from "#stores/metadata/index.ts";
import type { StoredTable } from "./spool/tables.ts";

/**
 * A Parquet file in the manifest. `min_us` and `max_us` are limited to numbers that a double holds exactly: ±(2^53 − 1), the
 * years 1684 to 2255. Limit a time in the same way before you compare it with them.
 */
export type ManifestFile = Omit<Tables["telemetry_file"], "store_id" | "dropped_at">;

export interface TableManifest {
  readonly compactedSeq: number;
  readonly files: readonly ManifestFile[];
}

/** A remembered `Idempotency-Key`. Hashes are SHA-256 in hexadecimal; `at` is in milliseconds since the epoch. */
export interface StoredKey {
  readonly orgId: string;
  readonly type: string;
  readonly keyHash: string;
  readonly bodyHash: string;
  readonly accepted: number;
  readonly at: number;
}

/** Thrown when another commit has changed the table. This process's copy of the table is then outdated. */
export class ManifestChanged extends Error {
  constructor() {
    super("cannot change the telemetry files: the manifest has changed meanwhile");
  }
}

/** The most rows in one statement. Databases limit the parameters of a statement. */
const ROWS_PER_STATEMENT = 100;

/**
 * Records which Parquet files of a telemetry directory are valid, which batches of its log they include, and the idempotency
 * keys that its log no longer has. Several servers may share one metadata store. Files and batch numbers belong to one
 * directory, so every statement here names the directory.
 */
export class Manifest {
  readonly #metadata: MetadataStore;
  readonly #storeId: string;

  /** `storeId` identifies the directory; see `store-id.ts`. */
  constructor(metadata: MetadataStore, storeId: string) {
    this.#metadata = metadata;
    this.#storeId = storeId;
  }

  /** Loads every table, by `org/type`. */
  async load(): Promise<Map<string, { orgId: string; type: StoredTable; manifest: TableManifest }>> {
    const progress = await this.#progress().execute();
    const files = await this.#liveFiles().execute();
    const byTable = Map.groupBy(files, (file) => `${file.org_id}/${file.type}`);
    return new Map(
      progress.map(({ org_id: orgId, type, compacted_seq: compactedSeq }) => {
        const name = `${orgId}/${type}`;
        return [name, { orgId, type, manifest: { compactedSeq, files: byTable.get(name) ?? [] } }];
      }),
    );
  }

  async loadTable(orgId: string, type: StoredTable): Promise<TableManifest> {
    const ofTable = this.#progress().where("org_id", "=", orgId).where("type", "=", type);
    const progress = await ofTable.executeTakeFirst();
    const files = await this.#liveFiles().where("org_id", "=", orgId).where("type", "=", type).execute();
    return { compactedSeq: progress?.compacted_seq ?? 0, files };
  }

  /**
   * Returns all files in the manifest, by their path relative to the telemetry directory. Dropped files may be missing on
   * disk.
   */
  async paths(): Promise<Map<string, { readonly id: string; readonly state: "live" | "dropped" }>> {
    const files = this.#metadata.read.selectFrom("telemetry_file").where("store_id", "=", this.#storeId);
    const rows = await files.select(["id", "path", "dropped_at"]).execute();
    return new Map(rows.map((row) => [row.path, { id: row.id, state: row.dropped_at === null ? "live" : "dropped" }]));
  }

  /**
   * Records new files for the log's batches up to `toSeq`. From this commit on, the files replace the log.
   * @throws ManifestChanged when the table is no longer at `fromSeq`
   */
  async commit(
    orgId: string,
    type: StoredTable,
    fromSeq: number,
    toSeq: number,
    files: readonly ManifestFile[],
  ): Promise<void> {
    await this.#metadata.write(async (tx) => {
      if (fromSeq === 0) {
        const first = { store_id: this.#storeId, org_id: orgId, type, compacted_seq: 0 };
        await tx
          .insertInto("telemetry_progress")
          .values(first)
          .onConflict((conflict) => conflict.doNothing())
          .execute();
      }
      const moved = await tx
        .updateTable("telemetry_progress")
        .set({ compacted_seq: toSeq })
        .where("store_id", "=", this.#storeId)
        .where("org_id", "=", orgId)
        .where("type", "=", type)
        .where("compacted_seq", "=", fromSeq)
        .executeTakeFirst();
      if (Number(moved.numUpdatedRows) !== 1) throw new ManifestChanged();
      await this.#add(tx, files);
    });
  }

  /**
   * Replaces files with others that have the same rows, or adds files. The change takes effect with this commit. Dropped
   * files stay in the manifest until `forget`.
   * @throws ManifestChanged when one of `dropped` is no longer live
   */
  async replace(
    dropped: readonly string[],
    added: readonly ManifestFile[],
    now: number,
    also: (tx: Writer) => Promise<void> = async () => {},
  ): Promise<void> {
    await this.#metadata.write(async (tx) => {
      for (const ids of chunks(dropped)) {
        const result = await tx
          .updateTable("telemetry_file")
          .set({ dropped_at: now })
          .where("store_id", "=", this.#storeId)
          .where("id", "in", ids)
          .where("dropped_at", "is", null)
          .executeTakeFirst();
        if (Number(result.numUpdatedRows) !== ids.length) throw new ManifestChanged();
      }
      await this.#add(tx, added);
      await also(tx);
    });
  }

  /** Removes dropped files. Their deletion from the disk must be durable. */
  async forget(ids: readonly string[]): Promise<void> {
    await this.#metadata.write(async (tx) => {
      for (const some of chunks(ids)) {
        const ours = tx.deleteFrom("telemetry_file").where("store_id", "=", this.#storeId);
        await ours.where("id", "in", some).where("dropped_at", "is not", null).execute();
      }
    });
  }

  async #add(tx: Writer, files: readonly ManifestFile[]): Promise<void> {
    for (const some of chunks(files)) {
      const rows = some.map((file) => ({ ...file, store_id: this.#storeId, dropped_at: null }));
      await tx.insertInto("telemetry_file").values(rows).execute();
    }
  }

  async findKey(
    orgId: string,
    type: string,
    keyHash: string,
  ): Promise<{ bodyHash: string; accepted: number; at: number } | undefined> {
    const row = await this.#metadata.read
      .selectFrom("telemetry_key")
      .select(["body_hash", "accepted", "at"])
      .where("store_id", "=", this.#storeId)
      .where("org_id", "=", orgId)
      .where("type", "=", type)
      .where("key_hash", "=", keyHash)
      .executeTakeFirst();
    return row === undefined ? undefined : { bodyHash: row.body_hash, accepted: row.accepted, at: row.at };
  }

  /** Saves keys before their log segment is deleted, and deletes keys older than `expiredBefore` (null: none). */
  async saveKeys(keys: readonly StoredKey[], expiredBefore: Cutoff | null): Promise<void> {
    await this.#metadata.write(async (tx) => {
      const ours = tx.deleteFrom("telemetry_key").where("store_id", "=", this.#storeId);
      if (expiredBefore !== null) await ours.where("at", "<", expiredBefore).execute();
      for (let i = 0; i < keys.length; i += ROWS_PER_STATEMENT) {
        const rows = keys.slice(i, i + ROWS_PER_STATEMENT).map((key) => ({
          store_id: this.#storeId,
          org_id: key.orgId,
          type: key.type,
          key_hash: key.keyHash,
          body_hash: key.bodyHash,
          accepted: key.accepted,
          at: key.at,
        }));
        await tx
          .insertInto("telemetry_key")
          .values(rows)
          .onConflict((conflict) =>
            conflict.columns(["store_id", "org_id", "type", "key_hash"]).doUpdateSet((eb) => ({
              body_hash: eb.ref("excluded.body_hash"),
              accepted: eb.ref("excluded.accepted"),
              at: eb.ref("excluded.at"),
            })),
          )
          .execute();
      }
    });
  }

  #progress() {
    return this.#metadata.read
      .selectFrom("telemetry_progress")
      .select(["org_id", "type", "compacted_seq"])
      .where("store_id", "=", this.#storeId);
  }

  #liveFiles() {
    return this.#metadata.read
      .selectFrom("telemetry_file")
      .select([
        "id",
        "org_id",
        "type",
        "path",
        "rows",
        "bytes",
        "min_us",
        "max_us",
        "day",
        "promoted",
        "created_at",
        "spellings",
      ])
      .where("store_id", "=", this.#storeId)
      .where("dropped_at", "is", null);
  }
}

function* chunks<T>(items: readonly T[]): Generator<T[]> {
  for (let at = 0; at < items.length; at += ROWS_PER_STATEMENT) yield items.slice(at, at + ROWS_PER_STATEMENT);
}
