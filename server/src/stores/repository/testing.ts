import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openArchive, type Archive } from "#stores/archive/index.ts";
import { systemClock, type Clock } from "#kernel/time.ts";
import { writeBackup, readBackup } from "./backups.ts";
import { backupFiles, fileContent, FileListWriter } from "./files.ts";
import { Repository, RepositoryWriter } from "./repository.ts";

/** A repository in a temporary directory. */
export async function temporaryArchive(): Promise<{ archive: Archive; path: string; readonly remove: () => void }> {
  const path = mkdtempSync(join(tmpdir(), "mooring-repository-"));
  const archive = await openArchive(path, () => {
    throw new Error("this is a directory");
  });
  return { archive, path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Files of a test's backup: the fixed ones by their paths, and one that changes. */
export interface TestFiles {
  readonly fixed: Readonly<Record<string, { content: Buffer; sha256: string | null }>>;
  readonly changing: Buffer;
}

export async function backUp(
  archive: Archive,
  key: string,
  files: TestFiles,
  clock: Clock = systemClock,
): Promise<{ name: string; addedBytes: number }> {
  const writer = await RepositoryWriter.open(archive, key, { clock });
  try {
    const list = new FileListWriter(writer);
    await list.addChanging("changing", chunks(files.changing));
    for (const [path, { content, sha256 }] of Object.entries(files.fixed))
      await list.addFixed({ path, size: content.length, sha256 }, () => chunks(content));
    const lists = await list.end();
    await writer.flush();
    const startedMs = clock.nowMs();
    const at = new Date(startedMs).toISOString();
    const { name } = await writeBackup(archive, writer.keys, {
      startedMs,
      started_at: at,
      finished_at: at,
      lists,
      files: list.files,
      bytes: list.bytes,
      added_bytes: writer.writtenBytes,
      facts: {},
    });
    return { name, addedBytes: writer.writtenBytes };
  } finally {
    await writer.close();
  }
}

/** Returns the content of every file of a backup. */
export async function restored(archive: Archive, key: string, name: string): Promise<Map<string, Buffer>> {
  const repository = await Repository.open(archive, key, { wholePacks: true });
  const backup = await readBackup(archive, repository.keys, name);
  const found = new Map<string, Buffer>();
  for await (const file of backupFiles(repository, backup))
    found.set(file.path, Buffer.concat(await Array.fromAsync(fileContent(repository, file))));
  return found;
}

async function* chunks(content: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < content.length; at += 100_000) yield content.subarray(at, at + 100_000);
}
