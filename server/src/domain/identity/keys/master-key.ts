import { hkdfSync, randomBytes, timingSafeEqual } from "node:crypto";
import { link, open, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";

/** The key that wraps the key ring. Without it the secrets of the database are lost. */
export interface MasterKey {
  /** 16 hexadecimal characters, derived from the key. A wrapped key names its master key with them. */
  readonly id: string;
  readonly bytes: Buffer;
  readonly origin: "configuration" | "file" | "new file";
}

export interface MasterKeyOptions {
  readonly dataDir: string;
  /** From the configuration, in base64 or hexadecimal. They take precedence over the file: the new key, the former one. */
  readonly configured?: string | undefined;
  readonly previous?: string | undefined;
  /** The id of the key that wraps the database's keys. Undefined: there are none yet. */
  readonly referencedId: string | undefined;
}

const KEY_BYTES = 32;
const FILE_HEADING = "mooring-master-key-v1";

export function masterKeyPath(dataDir: string): string {
  return join(dataDir, "master.key");
}

/**
 * Returns the master keys from the configuration, or from `master.key` in the data directory: during a rotation two,
 * the new one first. Creates the file only while nothing is sealed yet, because a new key could not open anything.
 * @throws Error that names the remedy if the key is absent, malformed, readable by others, or not the database's
 */
export async function openMasterKeys(options: MasterKeyOptions): Promise<readonly MasterKey[]> {
  const keys = await findMasterKeys(options);
  const { referencedId } = options;
  if (referencedId !== undefined && !keys.some((key) => key.id === referencedId)) throw wrongMasterKey(options, keys);
  return keys;
}

/** Returns the present master keys, without a check and without a new file. */
export async function presentMasterKeys(
  options: Pick<MasterKeyOptions, "dataDir" | "configured" | "previous">,
): Promise<readonly MasterKey[]> {
  const { configured, previous } = options;
  const given = [configured, previous].filter((text) => text !== undefined);
  if (given.length > 0) return given.map((text) => keyOf(parseConfigured(text), "configuration"));
  return (await readKeyFile(masterKeyPath(options.dataDir))) ?? [];
}

/** Returns the ids of the master keys in the file of a data directory. Empty: there is no file. */
export async function masterKeysIn(dataDir: string): Promise<string[]> {
  return ((await readKeyFile(masterKeyPath(dataDir))) ?? []).map((key) => key.id);
}

async function findMasterKeys(options: MasterKeyOptions): Promise<readonly MasterKey[]> {
  const present = await presentMasterKeys(options);
  if (present.length > 0) return present;
  const path = masterKeyPath(options.dataDir);
  if (options.referencedId !== undefined) {
    throw new Error(
      `cannot open the master key: the database is sealed under key ${options.referencedId}, but ${path} does not exist. ` +
        "Put that file back from a backup or from another node, or give the key as master_key (MOORING_MASTER_KEY).",
    );
  }
  return createKeyFile(path, options.dataDir);
}

/**
 * Returns the error for a wrong key. Another node may also have sealed the database between our check and our first
 * write.
 */
export function wrongMasterKey(
  options: Pick<MasterKeyOptions, "dataDir" | "configured" | "referencedId">,
  keys: readonly MasterKey[],
): Error {
  const source = options.configured === undefined ? masterKeyPath(options.dataDir) : "the configured master_key";
  const ids = keys.map((key) => key.id).join(" and ");
  return new Error(
    `cannot open the master key: the database is sealed under key ${options.referencedId}, but ${source} is key ${ids}. ` +
      "Use the key that belongs to this database; nodes that share a database share one key.",
  );
}

/** @throws Error if the text is not 32 bytes in base64 or hexadecimal; the error never contains the text */
function parseConfigured(text: string): Buffer {
  const trimmed = text.trim();
  if (/^[0-9a-f]{64}$/i.test(trimmed)) return Buffer.from(trimmed, "hex");
  if (/^[A-Za-z0-9+/_-]{43}=?$/.test(trimmed)) return Buffer.from(trimmed, "base64");
  throw new Error(
    "cannot read the configured master_key: it must be 32 bytes in base64 or hexadecimal. Create one with: openssl rand -base64 32",
  );
}

/** Reads the keys of the file, one in each line. Undefined: there is no file. */
async function readKeyFile(path: string): Promise<readonly MasterKey[] | undefined> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new Error(
      `cannot read the master key ${path}: ${(error as Error).message}. Let the user that runs Mooring read it.`,
      {
        cause: error,
      },
    );
  }
  await refuseIfShared(path);
  return text
    .trim()
    .split("\n")
    .map((line) => {
      const [heading, id, encoded] = line.trim().split(/\s+/);
      const bytes = Buffer.from(encoded ?? "", "base64");
      if (heading !== FILE_HEADING || bytes.length !== KEY_BYTES || keyOf(bytes, "file").id !== id)
        throw new Error(`cannot read the master key ${path}: the file is damaged. Put it back from a backup.`);
      return keyOf(bytes, "file");
    });
}

async function refuseIfShared(path: string): Promise<void> {
  if (process.platform === "win32") return; // Windows has no such mode bits
  const { mode } = await stat(path);
  if ((mode & 0o077) === 0) return;
  throw new Error(`cannot use the master key ${path}: other users may read it. Run: chmod 600 ${path}`);
}

/**
 * Writes the key to a temporary file and links it. So two concurrent first starts both end with the same complete key.
 */
async function createKeyFile(path: string, dataDir: string): Promise<readonly MasterKey[]> {
  const key = newMasterKey("new file");
  try {
    await writeKeys(path, [key], link);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") {
      throw new Error(`cannot create the master key ${path}: ${(error as Error).message}`, { cause: error });
    }
    const others = await readKeyFile(path);
    if (others === undefined)
      throw new Error(`cannot read the master key ${path}: the file disappeared during the start. Start again.`);
    return others;
  }
  await syncDirectory(dataDir);
  return [key];
}

export function newMasterKey(origin: MasterKey["origin"] = "file"): MasterKey {
  return keyOf(randomBytes(KEY_BYTES), origin);
}

/** Replaces the key file in one step. After a crash it has either the old keys or these. */
export async function writeKeyFile(dataDir: string, keys: readonly MasterKey[]): Promise<void> {
  const path = masterKeyPath(dataDir);
  await writeKeys(path, keys, rename);
  await syncDirectory(dataDir);
}

/** Writes a temporary file to disk, and moves it into place. */
async function writeKeys(
  path: string,
  keys: readonly MasterKey[],
  move: (from: string, to: string) => Promise<void>,
): Promise<void> {
  const temporary = join(dirname(path), `master.key.${randomBytes(6).toString("hex")}.tmp`);
  try {
    const file = await open(temporary, "wx", 0o600);
    try {
      await file.writeFile(keys.map(({ id, bytes }) => `${FILE_HEADING} ${id} ${bytes.toString("base64")}\n`).join(""));
      await file.sync();
    } finally {
      await file.close();
    }
    await move(temporary, path);
  } finally {
    await rm(temporary, { force: true });
  }
}

async function syncDirectory(path: string): Promise<void> {
  if (process.platform === "win32") return; // Windows can't flush directories
  const directory = await open(path, "r");
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

/** Deletes a key file that this start created, because the database turned out to be sealed under another key. */
export async function discardNewKeyFile(dataDir: string, keys: readonly MasterKey[]): Promise<void> {
  const [key] = keys;
  if (key?.origin !== "new file") return;
  const path = masterKeyPath(dataDir);
  const [present] = (await readKeyFile(path)) ?? [];
  if (present !== undefined && timingSafeEqual(present.bytes, key.bytes)) await rm(path, { force: true });
}

function keyOf(bytes: Buffer, origin: MasterKey["origin"]): MasterKey {
  const id = Buffer.from(hkdfSync("sha256", bytes, "", "mooring/master-key-id", 8)).toString("hex");
  return { id, bytes, origin };
}
