import { mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Problem } from "#kernel/problem.ts";
import { HeldFile } from "../hot/file.ts";
import type { HotInput } from "../snapshot.ts";
import { writeAll } from "../write-all.ts";
import type { RecordTable } from "./tables.ts";

/** Where the rows of a table come from. What was read once is not read again before rows have gone or changed. */
export interface RecordSource {
  /** Names of the parts that the table has, each with another value whenever one of its rows has come, gone or changed. Without it the table is one part. */
  parts?(orgId: string): Promise<ReadonlyMap<string, number | string>>;
  /** Of a table in one part: another value whenever rows have gone or changed. Without it none ever does. */
  generation?(orgId: string): Promise<number | string>;
  /** How many rows there are after the one mark, up to and with the other. Without it all are read anew when some have gone. */
  count?(orgId: string, after: number, through: number): Promise<number>;
  /**
   * Rows of an organization, or of a part of them, that came after `mark` (0: all), oldest first, each with its own mark; marks rise. A row has the members
   * that `RECORD_TABLES` names, null or absent for NULL. All rows that were committed before the call are among them.
   */
  rowsAfter(orgId: string, mark: number, part?: string): AsyncIterable<{ readonly mark: number; readonly row: object }>;
}

export type RecordSources = Readonly<Partial<Record<RecordTable, RecordSource>>>;

export interface RecordFilesOptions {
  /** Folder of the files; what is in it is deleted. */
  readonly dir: string;
  readonly sources: RecordSources;
  /** Told about a deletion that failed. */
  readonly deleteFailed: (path: string, error: unknown) => void;
  /** Tables of organizations that are kept as files; the least recently used go first. */
  readonly keptMax?: number;
  /** Bytes after which a file is written, so that a long table is not gathered in memory. */
  readonly fileBytes?: number;
}

/** Records as files for a query. They stay until `release`. */
export interface RecordSnapshot {
  readonly files: readonly HotInput[];
  readonly release: () => void;
}

interface KeptFile {
  readonly held: HeldFile;
  /** All rows after the one mark, up to and with the other, as they were when they were read. */
  readonly after: number;
  readonly through: number;
  readonly rows: number;
  readonly bytes: number;
}

/** A part of a table as it was read until now. */
interface KeptPart {
  /** Undefined: the table is one part. */
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
  /** The update that runs or ran last: updates come one after the other. */
  updated: Promise<void>;
  /** Snapshots that are being taken: it is not given up meanwhile. */
  users: number;
}

const KEPT_MAX = 64;
/** Written in one turn of the event loop, so not much. */
const FILE_BYTES = 1024 * 1024;
const JOINED_BYTES_MAX = 8 * 1024 * 1024;

/** Records of the metadata store as NDJSON files, which are a cache: wiped at start, and continued when rows have come. */
export class RecordFiles {
  readonly #options: RecordFilesOptions;
  /** Least recently used first. */
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
   * All rows that an organization has in a table at this moment.
   * @throws Problem `unavailable` when they can't be read or written
   */
  async snapshot(orgId: string, table: RecordTable): Promise<RecordSnapshot> {
    const source = this.#options.sources[table];
    if (source === undefined) throw new Problem("unavailable", `the table ${table} is not served here`);
    const kept = this.#use(orgId, table);
    kept.users++;
    try {
      const update = kept.updated.catch(() => undefined).then(() => this.#update(kept, orgId, source));
      kept.updated = update;
      await update;
      return hold(filesOf(kept));
    } catch (error) {
      if (error instanceof Problem) throw error;
      const detail = `cannot read the records of ${table}: making them ready for the query failed; try again later`;
      throw new Problem("unavailable", detail, { headers: { "Retry-After": "5" }, cause: error });
    } finally {
      kept.users--;
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

  async #update(kept: Kept, orgId: string, source: RecordSource): Promise<void> {
    const parts = await source.parts?.(orgId);
    if (parts === undefined) {
      const generation = await source.generation?.(orgId);
      await this.#updatePart(partOf(kept, undefined), orgId, source, generation);
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
        await this.#updatePart(part, orgId, source, generation);
      } catch (error) {
        part.generation = undefined; // not all of it was read
        throw error;
      }
    }
  }

  async #updatePart(
    kept: KeptPart,
    orgId: string,
    source: RecordSource,
    generation: number | string | undefined,
  ): Promise<void> {
    if (generation !== kept.generation) {
      await this.#letGo(kept, orgId, source);
      kept.generation = generation;
    }
    let lines: string[] = [];
    let chars = 0;
    let { mark } = kept;
    for await (const each of source.rowsAfter(orgId, mark, kept.name)) {
      const line = `${JSON.stringify(each.row)}\n`;
      lines.push(line);
      chars += line.length;
      ({ mark } = each);
      if (chars < (this.#options.fileBytes ?? FILE_BYTES)) continue;
      await this.#add(kept, lines, mark);
      lines = [];
      chars = 0;
    }
    if (lines.length > 0) await this.#add(kept, lines, mark);
  }

  /** Takes rows that have gone out of the files: only those files are read anew that had some. */
  async #letGo(kept: KeptPart, orgId: string, source: RecordSource): Promise<void> {
    if (source.count === undefined) {
      drop(kept.files);
      Object.assign(kept, { files: [], mark: 0 });
      return;
    }
    for (const file of kept.files) {
      const { after, through } = file;
      const left = await source.count(orgId, after, through);
      if (left === file.rows) continue;
      const renewed = left === 0 ? [] : [await this.#readAnew(kept, orgId, source, file)];
      kept.files = kept.files.flatMap((each) => (each === file ? renewed : [each]));
      drop([file]);
      await nextTurn();
    }
  }

  async #readAnew(
    kept: KeptPart,
    orgId: string,
    source: RecordSource,
    { after, through }: Pick<KeptFile, "after" | "through">,
  ): Promise<KeptFile> {
    const lines: string[] = [];
    for await (const { mark, row } of source.rowsAfter(orgId, after, kept.name)) {
      if (mark > through) break;
      lines.push(`${JSON.stringify(row)}\n`);
    }
    return this.#write(kept, Buffer.from(lines.join("")), { after, through, rows: lines.length });
  }

  /** Puts rows into a file, and files of like size into one: there are few, and each row is written few times. */
  async #add(kept: KeptPart, lines: readonly string[], mark: number): Promise<void> {
    let content = Buffer.from(lines.join(""));
    let rows = lines.length;
    let after = kept.mark;
    const joined: KeptFile[] = [];
    const before = [...kept.files];
    for (let last = before.at(-1); last !== undefined && last.bytes <= 2 * content.length; last = before.at(-1)) {
      if (last.bytes + content.length > JOINED_BYTES_MAX) break;
      content = Buffer.concat([await readFile(last.held.path), content]);
      rows += last.rows;
      ({ after } = last);
      joined.push(last);
      before.pop();
    }
    kept.files = [...before, await this.#write(kept, content, { after, through: mark, rows })];
    kept.mark = mark;
    drop(joined);
    await nextTurn();
  }

  async #write(kept: KeptPart, content: Buffer, of: Pick<KeptFile, "after" | "through" | "rows">): Promise<KeptFile> {
    const held = new HeldFile(join(kept.dir, `${++this.#numbers}.ndjson`), this.#options.deleteFailed);
    await writeWhole(kept.dir, held.path, content);
    return { ...of, held, bytes: content.length };
  }
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
    files: files.map(({ held, rows, bytes }) => ({ path: held.path, rows, bytes })),
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
