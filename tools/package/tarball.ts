import { gzipSync } from "node:zlib";

/** A file of a package: its path below the package's root, with `/`. */
export interface PackageFile {
  readonly path: string;
  readonly content: string | Uint8Array;
  readonly isExecutable?: boolean;
}

const BLOCK = 512;
/** The time of every file in a package that npm makes: 26 October 1985. */
const MTIME_S = 499_162_500;

/** Returns a gzipped tar archive (POSIX.1-1988 ustar) that npm can install. Equal files give equal bytes. */
export function packageTarball(files: readonly PackageFile[]): Buffer {
  const sorted = files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const blocks = sorted.flatMap(({ path, content, isExecutable = false }) => {
    const bytes = Buffer.from(content);
    const padding = Buffer.alloc((BLOCK - (bytes.length % BLOCK)) % BLOCK);
    return [header(`package/${path}`, bytes.length, isExecutable ? 0o755 : 0o644), bytes, padding];
  });
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]), { level: 9 });
}

function header(path: string, size: number, mode: number): Buffer {
  const [prefix, name] = splitPath(path);
  const block = Buffer.alloc(BLOCK);
  const octal = (value: number, at: number, length: number): void => {
    block.write(`${value.toString(8).padStart(length - 1, "0")}\0`, at, "latin1");
  };
  block.write(name, 0, "utf8");
  octal(mode, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(size, 124, 12);
  octal(MTIME_S, 136, 12);
  block.fill(" ", 148, 156); // the checksum is computed with its own field as spaces
  block.write("0", 156, "latin1");
  block.write("ustar\0" + "00", 257, "latin1");
  block.write(prefix, 345, "utf8");
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return block;
}

/** Splits a path into a name of at most 100 bytes and a prefix of at most 155. @throws Error for a longer path */
function splitPath(path: string): readonly [string, string] {
  if (Buffer.byteLength(path) <= 100) return ["", path];
  for (let at = path.indexOf("/"); at > 0; at = path.indexOf("/", at + 1)) {
    const [prefix, name] = [path.slice(0, at), path.slice(at + 1)];
    if (Buffer.byteLength(prefix) <= 155 && Buffer.byteLength(name) <= 100) return [prefix, name];
  }
  throw new Error(`cannot pack ${path}: the path is too long`);
}
