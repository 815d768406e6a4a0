import { gzipSync } from "node:zlib";
import { tarBlocks } from "./tar.ts";

/** A file of a package: its path below the package's root, with `/`. */
export interface PackageFile {
  readonly path: string;
  readonly content: string | Uint8Array;
  readonly isExecutable?: boolean;
}

/** The time of every file in a package that npm makes: 26 October 1985. */
const MTIME_S = 499_162_500;

/** Returns a gzipped tar archive that npm can install. Equal files give equal bytes. */
export function packageTarball(files: readonly PackageFile[]): Buffer {
  const sorted = files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const entries = sorted.map(({ path, content, isExecutable = false }) => ({
    path: `package/${path}`,
    kind: "file" as const,
    mode: isExecutable ? 0o755 : 0o644,
    mtimeS: MTIME_S,
    content: Buffer.from(content),
  }));
  return gzipSync(Buffer.concat([...tarBlocks(entries)]), { level: 9 });
}
