/** An entry of a tar archive (POSIX.1-1988 ustar). The owner and the group are root. */
export interface TarEntry {
  /** With `/` as separator; a directory has none at the end. */
  readonly path: string;
  readonly kind: "file" | "directory" | "link";
  readonly mode: number;
  readonly mtimeS: number;
  /** Only a file has it. */
  readonly content?: Uint8Array;
  /** Only a symbolic link has it. */
  readonly target?: string;
  /** Owner and group; root when absent. */
  readonly id?: number;
}

const BLOCK = 512;
const TYPE = { file: "0", link: "2", directory: "5" };

/** The archive, without compression. Equal entries in the same order give equal bytes. */
export function* tarBlocks(entries: Iterable<TarEntry>): Generator<Uint8Array> {
  for (const entry of entries) {
    yield header(entry);
    if (entry.content === undefined) continue;
    yield entry.content;
    yield Buffer.alloc((BLOCK - (entry.content.length % BLOCK)) % BLOCK);
  }
  yield Buffer.alloc(2 * BLOCK);
}

function header(entry: TarEntry): Buffer {
  const { path, kind, mode, mtimeS, content, target = "", id = 0 } = entry;
  const [prefix, name] = splitPath(kind === "directory" ? `${path}/` : path);
  if (Buffer.byteLength(target) > 100) throw new Error(`cannot pack ${path}: its target is too long`);
  const block = Buffer.alloc(BLOCK);
  const octal = (value: number, at: number, length: number): void => {
    block.write(`${value.toString(8).padStart(length - 1, "0")}\0`, at, "latin1");
  };
  block.write(name, 0, "utf8");
  octal(mode, 100, 8);
  octal(id, 108, 8);
  octal(id, 116, 8);
  octal(content?.length ?? 0, 124, 12);
  octal(mtimeS, 136, 12);
  block.fill(" ", 148, 156); // the checksum is computed with its own field as spaces
  block.write(TYPE[kind], 156, "latin1");
  block.write(target, 157, "utf8");
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
    if (name !== "" && Buffer.byteLength(prefix) <= 155 && Buffer.byteLength(name) <= 100) return [prefix, name];
  }
  throw new Error(`cannot pack ${path}: the path is too long`);
}
