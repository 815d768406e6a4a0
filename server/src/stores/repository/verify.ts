import { createHash } from "node:crypto";
import { type Archive } from "#stores/archive/index.ts";
import { backupNames, readBackup } from "./backups.ts";
import { backupFiles } from "./files.ts";
import { packAt, packPath, PACKS } from "./layout.ts";
import { Repository } from "./repository.ts";

export interface Verification {
  readonly backups: number;
  readonly files: number;
  readonly packs: number;
  readonly bytes: number;
  /** Each names a file. */
  readonly faults: readonly string[];
}

export interface VerifyOptions {
  /** Null: without a key, only packs are compared with their names. */
  readonly backupKey: string | null;
  /** The part of the packs to read, from 0 to 1. The turn chooses which ones. */
  readonly part: number;
  readonly turn: number;
  readonly signal?: AbortSignal | undefined;
}

/** Checks that every backup is complete, and that packs are unchanged. It changes nothing. */
export async function verifyRepository(archive: Archive, options: VerifyOptions): Promise<Verification> {
  const faults: string[] = [];
  const noted = async <T>(work: Promise<T>): Promise<T | undefined> =>
    work.catch((error: Error) => {
      options.signal?.throwIfAborted();
      faults.push(error.message);
      return undefined;
    });
  const key = options.backupKey;
  const repository = key === null ? undefined : await noted(Repository.open(archive, key));
  const seen = repository === undefined ? undefined : await verifyBackups(repository, noted);
  const packs = await verifyPacks(archive, options, faults);
  return { backups: seen?.backups ?? 0, files: seen?.files ?? 0, ...packs, faults };
}

async function verifyBackups(
  repository: Repository,
  noted: <T>(work: Promise<T>) => Promise<T | undefined>,
): Promise<{ backups: number; files: number }> {
  const { archive, keys } = repository;
  let [backups, files] = [0, 0];
  const present = new Set<string>();
  for await (const path of archive.paths(PACKS)) present.add(path);
  for (const name of await backupNames(archive)) {
    backups += 1;
    await noted(
      (async () => {
        for await (const file of backupFiles(repository, await readBackup(archive, keys, name))) {
          files += 1;
          for (const id of file.items) {
            const place = repository.index.find(id);
            if (place === undefined || !present.has(packPath(place.pack)))
              throw new Error(`${file.path} of backup ${name} is not complete in ${archive.name}`);
          }
        }
      })(),
    );
  }
  return { backups, files };
}

async function verifyPacks(
  archive: Archive,
  { part, turn, signal }: VerifyOptions,
  faults: string[],
): Promise<{ packs: number; bytes: number }> {
  const paths = (await Array.fromAsync(archive.paths(PACKS))).filter((path) => packAt(path) !== undefined).toSorted();
  const every = part <= 0 ? Infinity : Math.max(1, Math.round(1 / part));
  let [packs, bytes] = [0, 0];
  for (const [n, path] of paths.entries()) {
    if (every === Infinity || (n + turn) % every !== 0) continue;
    signal?.throwIfAborted();
    const hash = createHash("sha256");
    for await (const chunk of archive.read(path)) {
      hash.update(chunk);
      bytes += chunk.length;
    }
    packs += 1;
    if (hash.digest("hex") !== packAt(path))
      faults.push(`${path} in ${archive.name} was altered: its checksum differs`);
  }
  return { packs, bytes };
}
