import { createHash, randomBytes } from "node:crypto";
import { createReadStream } from "node:fs";
import { link, lstat, mkdir, open, readdir, realpath, rename, rm } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { syncDirectory } from "#stores/directory/index.ts";
import { UNFINISHED, type Archive, type ArchivedFile, type ArchiveRange, type Chunks } from "./types.ts";

/** An archive in a directory. Only its owner may read the files, because they have the data of people. */
export class DirectoryArchive implements Archive {
  readonly name: string;
  readonly #root: string;
  readonly #directories = new Set<string>();

  constructor(root: string) {
    this.name = root;
    this.#root = root;
  }

  async write(path: string, content: Chunks): Promise<ArchivedFile> {
    const target = join(this.#root, path);
    await this.#directory(dirname(target));
    const hash = createHash("sha256");
    let size = 0;
    await rm(`${target}${UNFINISHED}`, { force: true });
    const handle = await open(`${target}${UNFINISHED}`, "wx", 0o600);
    try {
      for await (const chunk of content) {
        hash.update(chunk);
        size += chunk.length;
        await handle.writeFile(chunk);
      }
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(`${target}${UNFINISHED}`, target);
    return { path, size, sha256: hash.digest("hex") };
  }

  async create(path: string, content: Uint8Array): Promise<boolean> {
    const target = join(this.#root, path);
    await this.#directory(dirname(target));
    const temporary = `${target}.${randomBytes(6).toString("hex")}${UNFINISHED}`;
    try {
      const handle = await open(temporary, "wx", 0o600);
      try {
        await handle.writeFile(content);
        await handle.sync();
      } finally {
        await handle.close();
      }
      return await nameOnce(temporary, target);
    } finally {
      await rm(temporary, { force: true });
    }
  }

  async *read(path: string, range?: ArchiveRange): AsyncGenerator<Uint8Array> {
    const found = await this.#stat(path);
    if (found === undefined) throw new Error(`${path} is missing in ${this.name}`);
    const part = range === undefined ? {} : { start: range.start, end: range.end - 1 };
    for await (const chunk of createReadStream(join(this.#root, path), { highWaterMark: 256 * 1024, ...part }))
      yield chunk as Buffer;
  }

  async sizeOf(path: string): Promise<number | undefined> {
    return (await this.#stat(path))?.size;
  }

  async *paths(folder = ""): AsyncGenerator<string> {
    const from = join(this.#root, folder);
    const entries = await readdir(from, { recursive: true, withFileTypes: true }).catch(absent);
    for (const entry of entries ?? [])
      if (!entry.isDirectory()) yield relative(this.#root, join(entry.parentPath, entry.name)).split(sep).join("/");
  }

  async remove(path: string): Promise<void> {
    await rm(join(this.#root, path), { force: true });
    await syncDirectory(dirname(join(this.#root, path))).catch(absent);
  }

  async finish(): Promise<void> {
    for (const directory of this.#directories) await syncDirectory(directory);
  }

  close(): void {}

  /** Links in the archive are not followed. */
  async #stat(path: string): Promise<{ size: number } | undefined> {
    const found = await lstat(join(this.#root, path)).catch(absent);
    if (found?.isFile() !== true) return undefined;
    const folder = await realpath(join(this.#root, dirname(path)));
    return folder === join(await realpath(this.#root), dirname(path)) ? found : undefined;
  }

  async #directory(path: string): Promise<void> {
    if (this.#directories.has(path)) return;
    await mkdir(path, { recursive: true, mode: 0o700 });
    for (let each = path; each.length >= this.#root.length; each = dirname(each)) this.#directories.add(each);
    this.#directories.add(dirname(this.#root));
  }
}

/** Gives a file its name unless another file has it. Some file systems have no hard links. */
async function nameOnce(temporary: string, target: string): Promise<boolean> {
  try {
    await link(temporary, target);
    return true;
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return false;
    if (!["EPERM", "ENOTSUP", "EOPNOTSUPP", "EMLINK"].includes(code)) throw error;
    if ((await lstat(target).catch(absent)) !== undefined) return false;
    await rename(temporary, target);
    return true;
  }
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
  return undefined;
}
