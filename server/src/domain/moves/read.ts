import type { Archive, ArchivedFile } from "#stores/archive/index.ts";
import { SLUG } from "./checks.ts";
import { FILES, isSafePath, MANIFEST, readJson, readLines, type MoveManifest } from "./format.ts";

/** A finished export whose list of files agrees with its manifest. */
export interface OpenExport {
  readonly archive: Archive;
  readonly manifest: MoveManifest;
  /** @throws Error when the export has no such file */
  readonly file: (path: string) => ArchivedFile;
  readonly has: (path: string) => boolean;
}

const ORG_ID = /^org_[0-9a-z]{1,40}$/;
const SHA256 = /^[0-9a-f]{64}$/;

/** Reads the manifest and the list of files. @throws Error when the export is unfinished, altered, or newer */
export async function openExport(archive: Archive): Promise<OpenExport> {
  const manifest = (await readJson(archive, MANIFEST)) as MoveManifest | undefined;
  if (manifest === undefined)
    throw new Error(`${archive.name} has no ${MANIFEST}, so it is not an export, or was not finished: export again`);
  if (manifest.format !== 1) throw new Error(`${archive.name} was made by a newer version`);
  if (!ORG_ID.test(manifest.organization.id) || !SLUG.test(manifest.organization.slug))
    throw new Error(`${MANIFEST} was altered: it names no organization`);
  const files = new Map<string, ArchivedFile>();
  for await (const value of readLines(archive, { path: FILES, sha256: manifest.files_sha256 })) {
    const { path, size, sha256 } = value as ArchivedFile;
    if (!isSafePath(path) || files.has(path) || !SHA256.test(sha256) || !Number.isSafeInteger(size) || size < 0)
      throw new Error(`${FILES} names ${JSON.stringify(path)}, which is not a file of an export`);
    files.set(path, { path, size, sha256 });
  }
  if (files.size !== manifest.files)
    throw new Error(`${FILES} has ${files.size} of ${manifest.files} files: copy the export again`);
  return {
    archive,
    manifest,
    has: (path) => files.has(path),
    file: (path) => {
      const found = files.get(path);
      if (found === undefined) throw new Error(`the export lacks ${path}`);
      return found;
    },
  };
}
