import { mkdir, open, rename, rm, statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import { newId } from "#kernel/ids.ts";
import type { Clock } from "#kernel/time.ts";
import type { TelemetryType } from "../columns.ts";
import type { HotFile } from "../hot/file.ts";
import type { Table } from "../hot/table.ts";
import type { Tables } from "../hot/tables.ts";
import { parquetPath, type Layout } from "../layout.ts";
import { syncDirectory } from "../log/segment.ts";
import { ManifestChanged, type Manifest, type ManifestFile } from "../manifest.ts";
import { dayOf, parquetFile, type ParquetFile } from "../parquet-file.ts";
import type { TelemetryLog, TelemetrySettings } from "../settings.ts";
import { isolate, type Made, type Slice } from "./isolate.ts";
import type { CompactionRunner } from "./protocol.ts";

export interface CompactorOptions {
  readonly layout: Layout;
  readonly tables: Tables;
  readonly manifest: Manifest;
  readonly runner: CompactionRunner;
  readonly settings: TelemetrySettings;
  readonly clock: Clock;
  readonly log: TelemetryLog;
}

interface InputRange {
  readonly orgId: string;
  readonly type: TelemetryType;
  readonly firstSeq: number;
  readonly lastSeq: number;
}

/** Turns an organization's hot rows of one type into Parquet. */
export class Compactor {
  readonly #options: CompactorOptions;
  /** Tables whose last commit ended without a known result. */
  readonly #doubtful = new Set<Table>();

  constructor(options: CompactorOptions) {
    this.#options = options;
  }

  /**
   * Compacts what the table has now, in one file or, where some rows could not be read, in several. Rows appended meanwhile stay hot.
   * @throws Error when it could not be done now; nothing has changed then
   */
  async compact(table: Table): Promise<void> {
    const { tables, layout, runner, log } = this.#options;
    if (this.#doubtful.has(table)) await this.#reload(table);
    tables.seal(table);
    await tables.written();
    const input = this.#input(table);
    const last = input.at(-1);
    if (input[0] === undefined || last === undefined) return;
    const range = { orgId: table.orgId, type: table.type, firstSeq: input[0].firstSeq, lastSeq: last.lastSeq };
    const ensureSpace = (): Promise<void> => this.#ensureSpace();
    const slices: Slice[] = input.map((file) => ({ path: file.held.path, rows: file.rows, temporary: false }));
    const { made, quarantined } = await isolate({ ...range, slices, layout, runner, log, ensureSpace });
    const files = await this.#publish(range, made);
    await this.#commit(table, range.lastSeq, files);
    const rows = made.reduce((sum, { result }) => sum + result.rows, 0);
    log.info({ org_id: table.orgId, type: table.type, rows, files: files.length, quarantined }, "compacted telemetry");
  }

  #input(table: Table): HotFile[] {
    const input: HotFile[] = [];
    let bytes = 0;
    for (const file of table.sealed) {
      bytes += file.bytes;
      if (input.length > 0 && bytes > this.#options.settings.compaction.inputBytesMax) break;
      input.push(file);
    }
    return input;
  }

  async #publish(range: InputRange, made: readonly Made[]): Promise<ManifestFile[]> {
    const { layout, clock } = this.#options;
    const files: ManifestFile[] = [];
    for (const { path: temporary, result } of made) {
      const createdAt = clock.nowMs();
      const id = newId("seg", createdAt);
      const path = parquetPath(range.orgId, range.type, range.firstSeq, range.lastSeq, id);
      await publish(temporary, join(layout.root, path), layout.root);
      files.push({
        id,
        org_id: range.orgId,
        type: range.type,
        path,
        rows: result.rows,
        bytes: result.bytes,
        min_us: clamped(result.minUs),
        max_us: clamped(result.maxUs),
        day: dayOf(clamped(result.maxUs)),
        promoted: "[]",
        created_at: createdAt,
      });
    }
    return files;
  }

  async #commit(table: Table, toSeq: number, files: readonly ManifestFile[]): Promise<void> {
    try {
      await this.#options.manifest.commit(table.orgId, table.type, table.compactedSeq, toSeq, files);
    } catch (error) {
      // A connection that broke during the commit leaves open whether it happened: only the manifest can tell.
      this.#doubtful.add(table);
      await this.#reload(table);
      if (table.compactedSeq === toSeq) return;
      if (error instanceof ManifestChanged) await this.#discard(files);
      throw error;
    }
    const added = files.map((file) => this.#parquetFile(file));
    table.compacted(toSeq, [...table.parquet, ...added]);
  }

  /** Brings the table in memory to what the manifest says. */
  async #reload(table: Table): Promise<void> {
    const { compactedSeq, files } = await this.#options.manifest.loadTable(table.orgId, table.type);
    const known = new Map(table.parquet.map((file) => [file.id, file]));
    table.compacted(
      compactedSeq,
      files.map((file) => known.get(file.id) ?? this.#parquetFile(file)),
    );
    this.#doubtful.delete(table);
  }

  /** Only for files that certainly are in no commit; of others the next start decides. */
  async #discard(files: readonly ManifestFile[]): Promise<void> {
    for (const { path } of files) await rm(join(this.#options.layout.root, path), { force: true });
  }

  #parquetFile(file: ManifestFile): ParquetFile {
    const { layout, tables } = this.#options;
    return parquetFile(layout, file, (path, error) => tables.deleteFailed(path, error));
  }

  async #ensureSpace(): Promise<void> {
    const { layout, settings } = this.#options;
    const { bavail, bsize } = await statfs(layout.root);
    if (bavail * bsize <= settings.diskFreeBytesMin / 2) throw new Error("cannot compact telemetry: the disk is full");
  }
}

function clamped(us: number): number {
  return Math.min(Number.MAX_SAFE_INTEGER, Math.max(Number.MIN_SAFE_INTEGER, us));
}

/** Gives a finished file its name so that a crash at any moment leaves all of it or nothing. */
async function publish(temporary: string, path: string, root: string): Promise<void> {
  const handle = await open(temporary, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
  const made = await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await rename(temporary, path);
  await syncDirectory(dirname(path));
  if (made === undefined) return;
  for (let parent = dirname(dirname(path)); parent.length >= root.length; parent = dirname(parent))
    await syncDirectory(parent);
}
