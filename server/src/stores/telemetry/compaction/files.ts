import { rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { newId } from "#kernel/ids.ts";
import { SPELLINGS_VERSION } from "#kernel/severity.ts";
import type { Clock } from "#kernel/time.ts";
import type { Writer } from "#stores/metadata/index.ts";
import type { StoredTable } from "../spool/tables.ts";
import type { Table } from "../hot/table.ts";
import type { Tables } from "../hot/tables.ts";
import { parquetPath, parquetRange, type Layout } from "../layout.ts";
import { ManifestChanged, type Manifest, type ManifestFile } from "../manifest.ts";
import { dayOf, parquetFile, type ParquetFile } from "../parquet-file.ts";
import type { TelemetryLog } from "../settings.ts";
import { Deletions } from "./deletions.ts";
import type { MadeFile } from "./protocol.ts";
import { noteReplacing, publish } from "./publish.ts";

export interface ParquetFilesOptions {
  readonly layout: Layout;
  readonly tables: Tables;
  readonly manifest: Manifest;
  readonly clock: Clock;
  readonly log: TelemetryLog;
}

/** The log batches that a file's rows come from. */
interface Origin {
  readonly orgId: string;
  readonly type: StoredTable;
  readonly firstSeq: number;
  readonly lastSeq: number;
}

/**
 * The only place that changes the Parquet files of tables: new files get their names, one transaction changes the
 * manifest, then memory changes in one turn. Changes of one table run one after the other.
 */
export class ParquetFiles {
  readonly #options: ParquetFilesOptions;
  readonly #deletions: Deletions;
  /** Tables whose last change ended without a known result. */
  readonly #doubtful = new Set<Table>();
  readonly #turns = new WeakMap<Table, Promise<void>>();

  constructor(options: ParquetFilesOptions) {
    this.#options = options;
    this.#deletions = new Deletions(options);
  }

  /** Makes memory equal to the manifest. After a change with an unknown result they may differ. */
  async settle(table: Table): Promise<void> {
    if (this.#doubtful.has(table)) await this.#inTurn(table, () => this.#reload(table));
  }

  /** Reads the table from the manifest again, because files have arrived from elsewhere. */
  async reload(table: Table): Promise<void> {
    await this.#inTurn(table, () => this.#reload(table));
  }

  /**
   * Replaces the table's batches up to `lastSeq` by finished files.
   * @throws Error when the result is unknown; `ManifestChanged` when nothing has changed
   */
  async addCompacted(table: Table, origin: Origin, made: readonly MadeFile[]): Promise<void> {
    const { manifest } = this.#options;
    const fromSeq = table.compactedSeq;
    const files = this.#describe(origin, made);
    await this.#publish(made, files);
    await this.#switch(table, files, {
      commit: () => manifest.commit(table.orgId, table.type, fromSeq, origin.lastSeq, files),
      isDone: () => table.compactedSeq === origin.lastSeq,
      follow: (added) => table.compacted(origin.lastSeq, [...table.parquet, ...added]),
    });
  }

  /**
   * Replaces files of the table by finished ones, or drops them without `made`. Dropped files are deleted when no query
   * reads them. The files in `made` are always moved away or deleted. `also` becomes part of the transaction.
   * @throws ManifestChanged when one of `dropped` was replaced meanwhile; nothing has changed then
   * @throws Error when the result is unknown
   */
  async replace(
    table: Table,
    dropped: readonly ParquetFile[],
    made: readonly MadeFile[],
    also?: (tx: Writer) => Promise<void>,
  ): Promise<void> {
    // Another change may drop these files meanwhile. The manifest must list them as long as the note names them.
    for (const { held } of dropped) held.hold();
    try {
      await this.#replaceHeld(table, dropped, made, also);
    } finally {
      for (const { held } of dropped) held.letGo();
    }
  }

  async #replaceHeld(
    table: Table,
    dropped: readonly ParquetFile[],
    made: readonly MadeFile[],
    also: ((tx: Writer) => Promise<void>) | undefined,
  ): Promise<void> {
    const { manifest, clock, layout } = this.#options;
    const requireInputs = (): void => {
      if (!dropped.every((file) => table.parquet.includes(file))) throw new ManifestChanged();
    };
    const files = this.#describe(originOf(table, dropped), made);
    const relative = (path: string): string => path.slice(layout.root.length + 1);
    const replacing = { dropped: dropped.map(({ held }) => relative(held.path)), added: files.map(({ path }) => path) };
    const [first] = files;
    let note: string | undefined;
    const forgetNote = async (): Promise<void> => {
      if (note !== undefined) await rm(note, { force: true });
    };
    const ids = dropped.map(({ id }) => id);
    let published = false;
    try {
      requireInputs();
      if (first !== undefined) note = await noteReplacing(layout, first.id, replacing);
      await this.#publish(made, files);
      published = true;
      await this.#switch(table, files, {
        commit: async () => {
          requireInputs();
          await manifest.replace(ids, files, clock.nowMs(), also);
        },
        isDone: () => hasExactly(table, files, ids),
        follow: (added) => this.#follow(table, dropped, added),
      });
      await forgetNote();
    } catch (error) {
      if (!published) await removeMade(made);
      // When the result is unknown, the files and the note stay, and the next start decides.
      if (!published || error instanceof ManifestChanged) await forgetNote();
      throw error;
    }
  }

  /** Call it after the last change. */
  close(): Promise<void> {
    return this.#deletions.close();
  }

  #follow(table: Table, dropped: readonly ParquetFile[], added: readonly ParquetFile[]): void {
    table.replaced(dropped, added);
    for (const file of dropped) this.#deletions.drop(file);
  }

  #describe(origin: Origin, made: readonly MadeFile[]): ManifestFile[] {
    const { orgId, type, firstSeq, lastSeq } = origin;
    return made.map((file) => {
      const createdAt = this.#options.clock.nowMs();
      const id = newId("seg", createdAt);
      return {
        id,
        org_id: orgId,
        type,
        path: parquetPath(orgId, type, firstSeq, lastSeq, id),
        rows: file.rows,
        bytes: file.bytes,
        min_us: clamped(file.minUs),
        max_us: clamped(file.maxUs),
        day: dayOf(clamped(file.maxUs)),
        promoted: JSON.stringify(file.promoted),
        created_at: createdAt,
        spellings: SPELLINGS_VERSION,
      };
    });
  }

  async #publish(made: readonly MadeFile[], files: readonly ManifestFile[]): Promise<void> {
    const { root } = this.#options.layout;
    try {
      for (const [index, { path }] of files.entries()) await publish(made[index]?.path ?? "", join(root, path), root);
    } catch (error) {
      await this.#discard(files);
      throw error;
    } finally {
      await removeMade(made);
    }
  }

  async #switch(
    table: Table,
    files: readonly ManifestFile[],
    change: {
      readonly commit: () => Promise<void>;
      /** Returns whether the table has the change, after it was read again from the manifest. */
      readonly isDone: () => boolean;
      readonly follow: (added: readonly ParquetFile[]) => void;
    },
  ): Promise<void> {
    await this.#inTurn(table, async () => {
      try {
        await change.commit();
      } catch (error) {
        // After a connection broke during the commit, only the manifest has the result.
        this.#doubtful.add(table);
        await this.#reload(table);
        if (change.isDone() && !(error instanceof ManifestChanged)) return;
        if (error instanceof ManifestChanged) await this.#discard(files);
        throw error;
      }
      change.follow(files.map((file) => this.#parquetFile(file)));
    });
  }

  /** Reads the table's state from the manifest. */
  async #reload(table: Table): Promise<void> {
    const { compactedSeq, files } = await this.#options.manifest.loadTable(table.orgId, table.type);
    const known = new Map(table.parquet.map((file) => [file.id, file]));
    const live = files.map((file) => known.get(file.id) ?? this.#parquetFile(file));
    for (const { id } of live) known.delete(id);
    table.compacted(compactedSeq, live);
    for (const file of known.values()) this.#deletions.drop(file);
    this.#doubtful.delete(table);
  }

  /** Deletes files that are certainly in no commit. For other files the next start decides. */
  async #discard(files: readonly ManifestFile[]): Promise<void> {
    for (const { path } of files) await rm(join(this.#options.layout.root, path), { force: true });
  }

  #parquetFile(file: ManifestFile): ParquetFile {
    const { layout, tables } = this.#options;
    return parquetFile(layout, file, (path, error) => tables.deleteFailed(path, error));
  }

  #inTurn(table: Table, work: () => Promise<void>): Promise<void> {
    const turn = (this.#turns.get(table) ?? Promise.resolve()).then(work);
    this.#turns.set(
      table,
      turn.catch(() => {}),
    );
    return turn;
  }
}

/** Deletes the work folders of finished files. */
async function removeMade(made: readonly MadeFile[]): Promise<void> {
  for (const dir of new Set(made.map(({ path }) => dirname(path)))) await rm(dir, { recursive: true, force: true });
}

function hasExactly(table: Table, added: readonly ManifestFile[], dropped: readonly string[]): boolean {
  const live = new Set(table.parquet.map(({ id }) => id));
  return added.every(({ id }) => live.has(id)) && !dropped.some((id) => live.has(id));
}

function originOf(table: Table, files: readonly ParquetFile[]): Origin {
  const ranges = files.map(({ held }) => parquetRange(basename(held.path)) ?? { firstSeq: 0, lastSeq: 0 });
  return {
    orgId: table.orgId,
    type: table.type,
    firstSeq: Math.min(...ranges.map(({ firstSeq }) => firstSeq)),
    lastSeq: Math.max(...ranges.map(({ lastSeq }) => lastSeq)),
  };
}

function clamped(us: number): number {
  return Math.min(Number.MAX_SAFE_INTEGER, Math.max(Number.MIN_SAFE_INTEGER, us));
}
