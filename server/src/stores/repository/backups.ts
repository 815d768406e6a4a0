import type { Archive } from "#stores/archive/index.ts";
import { BACKUPS, backupAt, backupPath, timeName } from "./layout.ts";
import type { RepositoryKeys } from "./keys.ts";
import { alteredFile, readBytes } from "./small-files.ts";

/** A finished backup, in a file of `backups/`. */
export interface BackupRecord<Facts = Readonly<Record<string, unknown>>> {
  readonly name: string;
  readonly started_at: string;
  readonly finished_at: string;
  /** Items with the list of files, in order. */
  readonly lists: readonly string[];
  readonly files: number;
  readonly bytes: number;
  /** Bytes that this backup added to the repository. */
  readonly added_bytes: number;
  readonly facts: Facts;
}

const FORMAT = 1;
const NAMES_PER_SECOND = 100;

/** Writes a backup under a new name, which has its start time. From then on the backup exists. */
export async function writeBackup<Facts>(
  archive: Archive,
  keys: RepositoryKeys,
  { startedMs, ...record }: Omit<BackupRecord<Facts>, "name"> & { readonly startedMs: number },
): Promise<BackupRecord<Facts>> {
  for (let n = 1; n < NAMES_PER_SECOND; n++) {
    const name = `${timeName(startedMs)}${n === 1 ? "" : `-${n}`}`;
    const path = backupPath(name);
    const sealed = keys.seal(path, Buffer.from(JSON.stringify({ ...record, name })));
    const text = `${JSON.stringify({ format: FORMAT, sealed: sealed.toString("base64") })}\n`;
    if (!(await archive.create(path, Buffer.from(text)))) continue;
    await archive.finish();
    return { ...record, name };
  }
  throw new Error(`${archive.name} has too many backups of one second`);
}

/** Returns the names of the backups, newest first. */
export async function backupNames(archive: Archive): Promise<string[]> {
  const paths = await Array.fromAsync(archive.paths(BACKUPS));
  const names = paths.map(backupAt).filter((name) => name !== undefined);
  return names.toSorted().toReversed();
}

/** @throws Error when there is no such backup, or its file was altered */
export async function readBackup<Facts>(
  archive: Archive,
  keys: RepositoryKeys,
  name: string,
): Promise<BackupRecord<Facts>> {
  const path = backupPath(name);
  const bytes = await readBytes(archive, path);
  try {
    const { format, sealed } = JSON.parse(bytes.toString()) as { format: number; sealed: string };
    if (format === FORMAT)
      return JSON.parse(String(keys.open(path, Buffer.from(sealed, "base64")))) as BackupRecord<Facts>;
  } catch (error) {
    throw alteredFile(archive, path, error);
  }
  throw alteredFile(archive, path);
}
