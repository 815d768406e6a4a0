import { mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Problem } from "#kernel/problem.ts";
import { HeldFile } from "../hot/file.ts";
import { HOT_ROW_BYTES_MAX } from "../query/settings.ts";
import type { HotInput } from "../snapshot.ts";
import { writeAll } from "../write-all.ts";
import type { RecordTable } from "./tables.ts";

/** The source of a table's rows. Each row is read once, and again only after rows were deleted or changed. */
export interface RecordSource {
  /**
   * Returns the parts of the table. The value of a part changes whenever one of its rows is added, deleted or changed.
   * Without this function the table has one part.
   */
  parts?(orgId: string): Promise<ReadonlyMap<string, number | string>>;
  /**
   * For a table with one part. Returns a value that changes whenever rows are deleted or changed. Without this function no
   * rows are deleted or changed.
   */
  generation?(orgId: string): Promise<number | string>;
  /**
   * Counts the rows with a mark greater than `after` and at most `through`. Without this function, a deletion makes all rows
   * be read again.
   */
  count?(orgId: string, after: number, through: number): Promise<number>;
  /**
   * Yields the rows of an organization, or of one part, whose mark is greater than `mark` (0: all rows). They come oldest
   * first, with rising marks. All rows that were committed before the call are included.
   */
  rowsAfter(orgId: string, mark: number, part?: string): AsyncIterable<SourceRow>;
}

export interface SourceRow {
  readonly mark: number;
  /**
   * Returns the members that `RECORD_TABLES` names, null or absent for NULL. Values of type JSON are text, so that they are
   * not rewritten. If this throws, the row is left out and counted, and the other rows are still read.
   */
  readonly row: () => Readonly<Record<string, string | number | boolean | null | undefined>>;
}

export type RecordSources = Readonly<Partial<Record<RecordTable, RecordSource>>>;

export interface RecordFilesOptions {
  /** The folder of the files. `open` deletes its content. */
  readonly dir: string;
  readonly sources: RecordSources;
  /** Called when a deletion failed. */
  readonly deleteFailed: (path: string, error: unknown) => void;
  /** Called for the first unreadable row of a file. */
  readonly rowFailed: (
    row: { readonly orgId: string; readonly table: RecordTable; readonly mark: number },
    error: unknown,
  ) => void;
  /** The most tables of organizations that stay as files. The least recently used ones are deleted first. */
  readonly keptMax?: number;
  /** A file is written after this many bytes, so that memory does not hold a long table. */
  readonly fileBytes?: number;
}

/** Files with records for a query. They stay until `release`. */
export interface RecordSnapshot {
  readonly files: readonly HotInput[];
  /** The number of rows that are left out because they can't be read. */
  readonly unreadable: number;
  readonly release: () => void;
}

interface KeptFile {
  readonly held: HeldFile;
  /** The file has all rows with a mark greater than `after` and at most `through`, as they were when they were read. */
  readonly after: number;
  readonly through: number;
  readonly rows: number;
  readonly unreadable: number;
  readonly bytes: number;
}

/** Rows as lines of a file. */
interface Lines {
  readonly texts: string[];
  chars: number;
  unreadable: number;
}

/** The context of a read. */
interface Reading {
  readonly orgId: string;
  readonly table: RecordTable;
  readonly source: RecordSource;
}

/** A part of a table, as it was last read. */
interface KeptPart {
  /** The part's name. Undefined: the table has one part. */
  readonly name: string | undefined;
  readonly dir: string;
  mark: number;
  generation: number | string | undefined;
  files: readonly KeptFile[];
}

/** One table of one organization. */
interface Kept {
  readonly dir: string;
  readonly parts: Map<string | undefined, KeptPart>;
  /** The running or last update. Updates run one after the other. */
  updated: Promise<void>;
  /** The number of running snapshots. The files are kept while it is not zero. */
  users: number;
}

const KEPT_MAX = 64;
/** A file is written in one turn of the event loop, so this is small. */
const FILE_BYTES = 1024 * 1024;
const JOINED_BYTES_MAX = 8 * 1024 * 1024;

/**
 * A cache of metadata records as NDJSON files. It is deleted at the start, and extended when new rows exist.
 */
export class RecordFiles {
  readonly #options: RecordFilesOptions;
  /** The least recently used table is first. */
  readonly #kept = new Map<string, Kept>();
  #numbers = 0;

  private constructor(options: RecordFilesOptions) {
    this.#options = options;
  }

  static async open(options: RecordFilesOptions): Promise<RecordFiles> {
    await rm(options.dir, { recursive: true, force: true });
    await mkdir(options.dir, { recursive: true, mode: 0o700 });
    return new RecordFiles(options);
  }

  /**
   * Returns all rows of an organization in a table at this moment.
   * @throws Problem `unavailable` when they can't be read or written
   */
  async snapshot(orgId: string, table: RecordTable): Promise<RecordSnapshot> {
    const source = this.#options.sources[table];
    if (source === undefined) throw new Problem("unavailable", `the table ${table} is not served here`);
    const kept = this.#use(orgId, table);
    kept.users++;
    try {
      const reading = { orgId, table, source };
      const update = kept.updated.catch(() => undefined).then(() => this.#update(kept, reading));
      kept.updated = update;
      await update;
      return hold(filesOf(kept));
    } catch (error) {
      if (error instanceof Problem) throw error;
      const detail = `cannot read the records of ${table}: writing them to files for the query failed; try again later`;
      throw new Problem("unavailable", detail, { retryAfterS: 5, cause: error });
    } finally {
      kept.users--;
    }
  }

  /** Deletes the files of a table for all organizations. The next query reads its rows again. */
  async forget(table: RecordTable): Promise<void> {
    for (const [name, kept] of this.#kept) {
      if (!name.endsWith(`/${table}`)) continue;
      this.#kept.delete(name);
      await kept.updated.catch(() => undefined);
      drop(filesOf(kept));
    }
  }

  #use(orgId: string, table: RecordTable): Kept {
    const name = `${orgId}/${table}`;
    const dir = join(this.#options.dir, orgId, table);
    const kept = this.#kept.get(name) ?? { dir, parts: new Map(), updated: Promise.resolve(), users: 0 };
    this.#kept.delete(name);
    this.#kept.set(name, kept);
    for (const [other, old] of this.#kept) {
      if (this.#kept.size <= (this.#options.keptMax ?? KEPT_MAX)) break;
      if (old.users > 0 || other === name) continue;
      this.#kept.delete(other);
      drop(filesOf(old));
    }
    return kept;
  }

  async #update(kept: Kept, reading: Reading): Promise<void> {
    const { orgId, source } = reading;
    const parts = await source.parts?.(orgId);
    if (parts === undefined) {
      const generation = await source.generation?.(orgId);
      await this.#updatePart(partOf(kept, undefined), reading, generation);
      return;
    }
    for (const [name, part] of kept.parts) {
      if (name !== undefined && parts.has(name)) continue;
      kept.parts.delete(name);
      drop(part.files);
    }
    for (const [name, generation] of parts) {
      const part = partOf(kept, name);
      if (part.generation === generation) continue;
      try {
        await this.#updatePart(part, reading, generation);
      } catch (error) {
        part.generation = undefined; // only some of its rows were read
        throw error;
      }
    }
  }

  async #updatePart(kept: KeptPart, reading: Reading, generation: number | string | undefined): Promise<void> {
    const { orgId, source } = reading;
    if (generation !== kept.generation) {
      await this.#removeDeleted(kept, reading);
      kept.generation = generation;
    }
    let lines = noLines();
    let { mark } = kept;
    for await (const each of source.rowsAfter(orgId, mark, kept.name)) {
      this.#take(lines, each, reading);
      ({ mark } = each);
      if (lines.chars < (this.#options.fileBytes ?? FILE_BYTES)) continue;
      await this.#add(kept, lines, mark);
      lines = noLines();
    }
    if (lines.texts.length + lines.unreadable > 0) await this.#add(kept, lines, mark);
  }

  #take(lines: Lines, { mark, row }: SourceRow, { orgId, table }: Reading): void {
    try {
      const text = lineOf(row());
      lines.texts.push(text);
      lines.chars += text.length;
    } catch (error) {
      lines.unreadable += 1;
      if (lines.unreadable === 1) this.#options.rowFailed({ orgId, table, mark }, error);
    }
  }

  /** Removes deleted rows by reading again only the files that had some. */
  async #removeDeleted(kept: KeptPart, reading: Reading): Promise<void> {
    const { orgId, source } = reading;
    if (source.count === undefined) {
      drop(kept.files);
      Object.assign(kept, { files: [], mark: 0 });
      return;
    }
    for (const file of kept.files) {
      const { after, through } = file;
      const left = await source.count(orgId, after, through);
      if (left === file.rows + file.unreadable) continue;
      const renewed = left === 0 ? [] : [await this.#readAnew(kept, reading, file)];
      kept.files = kept.files.flatMap((each) => (each === file ? renewed : [each]));
      drop([file]);
      await nextTurn();
    }
  }

  async #readAnew(
    kept: KeptPart,
    reading: Reading,
    { after, through }: Pick<KeptFile, "after" | "through">,
  ): Promise<KeptFile> {
    const lines = noLines();
    for await (const each of reading.source.rowsAfter(reading.orgId, after, kept.name)) {
      if (each.mark > through) break;
      this.#take(lines, each, reading);
    }
    const { texts, unreadable } = lines;
    return this.#write(kept, Buffer.from(texts.join("")), { after, through, rows: texts.length, unreadable });
  }

  /**
   * Writes rows to a file, and joins it with earlier files of similar size. So there are few files, and each row is written
   * only a few times.
   */
  async #add(kept: KeptPart, lines: Lines, mark: number): Promise<void> {
    let content = Buffer.from(lines.texts.join(""));
    let rows = lines.texts.length;
    let { unreadable } = lines;
    let after = kept.mark;
    const joined: KeptFile[] = [];
    const before = [...kept.files];
    for (let last = before.at(-1); last !== undefined && last.bytes <= 2 * content.length; last = before.at(-1)) {
      if (last.bytes + content.length > JOINED_BYTES_MAX) break;
      content = Buffer.concat([await readFile(last.held.path), content]);
      rows += last.rows;
      unreadable += last.unreadable;
      ({ after } = last);
      joined.push(last);
      before.pop();
    }
    kept.files = [...before, await this.#write(kept, content, { after, through: mark, rows, unreadable })];
    kept.mark = mark;
    drop(joined);
    await nextTurn();
  }

  async #write(kept: KeptPart, content: Buffer, of: Omit<KeptFile, "held" | "bytes">): Promise<KeptFile> {
    const held = new HeldFile(join(kept.dir, `${++this.#numbers}.ndjson`), this.#options.deleteFailed);
    await writeWhole(kept.dir, held.path, content);
    return { ...of, held, bytes: content.length };
  }
}

function noLines(): Lines {
  return { texts: [], chars: 0, unreadable: 0 };
}

/** @throws Error when a query could not read the row */
function lineOf(row: ReturnType<SourceRow["row"]>): string {
  let line = JSON.stringify(row);
  // DuckDB stops reading the whole file at the escape of a lone surrogate.
  if (line.includes("\\ud"))
    line = JSON.stringify(row, (_name, value: unknown) => (typeof value === "string" ? value.toWellFormed() : value));
  if (line.length * 3 > HOT_ROW_BYTES_MAX && Buffer.byteLength(line) >= HOT_ROW_BYTES_MAX)
    throw new Error(`the row has more than ${HOT_ROW_BYTES_MAX} bytes`);
  return `${line}\n`;
}

function partOf({ dir, parts }: Kept, name: string | undefined): KeptPart {
  const made = { name, dir: name === undefined ? dir : join(dir, name), mark: 0, generation: undefined, files: [] };
  const part = parts.get(name) ?? made;
  parts.set(name, part);
  return part;
}

function filesOf({ parts }: Kept): readonly KeptFile[] {
  return [...parts.values()].flatMap(({ files }) => files);
}

function hold(files: readonly KeptFile[]): RecordSnapshot {
  for (const { held } of files) held.hold();
  let released = false;
  return {
    files: files.filter(({ rows }) => rows > 0).map(({ held, rows, bytes }) => ({ path: held.path, rows, bytes })),
    unreadable: files.reduce((sum, file) => sum + file.unreadable, 0),
    release: () => {
      if (released) return;
      released = true;
      for (const { held } of files) held.letGo();
    },
  };
}

function drop(files: readonly KeptFile[]): void {
  for (const { held } of files) held.drop();
}

async function writeWhole(dir: string, path: string, content: Buffer): Promise<void> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const partial = `${path}.part`;
  const handle = await open(partial, "w", 0o600);
  try {
    await writeAll(handle, [content], 0);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
  await rename(partial, path);
}
