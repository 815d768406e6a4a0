import type { Archive, ArchiveRange } from "#stores/archive/index.ts";

/** Reads a small file, or a part of one. @throws Error when it is missing */
export async function readBytes(archive: Archive, path: string, range?: ArchiveRange): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of archive.read(path, range)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Writes a file whose name no other file can have. A repeated request may find its own file. */
export async function createExactly(archive: Archive, path: string, content: Buffer): Promise<void> {
  if (await archive.create(path, content)) return;
  if (!(await readBytes(archive, path)).equals(content)) throw new Error(`${path} is in ${archive.name} already`);
}

export function alteredFile(archive: Archive, path: string, cause?: unknown): Error {
  return new Error(`${path} in ${archive.name} was altered: its checksum differs`, { cause });
}
