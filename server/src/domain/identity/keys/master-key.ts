import { hkdfSync, randomBytes, timingSafeEqual } from "node:crypto";
import { link, open, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";

/** The key that seals every secret in the database. Without it the secrets are lost. */
export interface MasterKey {
  /** 16 hexadecimal characters, derived from the key. A sealed value names its key with them. */
  readonly id: string;
  readonly bytes: Buffer;
  readonly origin: "configuration" | "file" | "new file";
}

export interface MasterKeyOptions {
  readonly dataDir: string;
  /** From the configuration, in base64 or hexadecimal. It takes precedence over the file. */
  readonly configured?: string | undefined;
  /** The id of the key that sealed the database's secrets. Undefined: nothing is sealed yet. */
  readonly referencedId: string | undefined;
}

const KEY_BYTES = 32;
const FILE_HEADING = "mooring-master-key-v1";

export function masterKeyPath(dataDir: string): string {
  return join(dataDir, "master.key");
}

/**
 * Returns the master key from the configuration, or from `master.key` in the data directory. Creates the file only
 * while nothing is sealed yet, because a new key could not open anything.
 * @throws Error that names the remedy if the key is absent, malformed, readable by others, or not the database's
 */
export async function openMasterKey(options: MasterKeyOptions): Promise<MasterKey> {
  const key = await findMasterKey(options);
  if (options.referencedId !== undefined && key.id !== options.referencedId) throw wrongMasterKey(options, key);
  return key;
}

async function findMasterKey(options: MasterKeyOptions): Promise<MasterKey> {
  if (options.configured !== undefined) return keyOf(parseConfigured(options.configured), "configuration");
  const path = masterKeyPath(options.dataDir);
  const existing = await readKeyFile(path);
  if (existing !== undefined) return existing;
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
  key: MasterKey,
): Error {
  const source = options.configured === undefined ? masterKeyPath(options.dataDir) : "the configured master_key";
  return new Error(
    `cannot open the master key: the database is sealed under key ${options.referencedId}, but ${source} is key ${key.id}. ` +
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

async function readKeyFile(path: string): Promise<MasterKey | undefined> {
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
  const [heading, id, encoded] = text.trim().split(/\s+/);
  const bytes = Buffer.from(encoded ?? "", "base64");
  if (heading !== FILE_HEADING || bytes.length !== KEY_BYTES || keyOf(bytes, "file").id !== id) {
    throw new Error(`cannot read the master key ${path}: the file is damaged. Put it back from a backup.`);
  }
  return keyOf(bytes, "file");
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
async function createKeyFile(path: string, dataDir: string): Promise<MasterKey> {
  const key = keyOf(randomBytes(KEY_BYTES), "new file");
  const temporary = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    const file = await open(temporary, "wx", 0o600);
    try {
      await file.writeFile(`${FILE_HEADING} ${key.id} ${key.bytes.toString("base64")}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await link(temporary, path);
    await syncDirectory(dataDir);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") {
      throw new Error(`cannot create the master key ${path}: ${(error as Error).message}`, { cause: error });
    }
    const others = await readKeyFile(path);
    if (others === undefined)
      throw new Error(`cannot read the master key ${path}: the file disappeared during the start. Start again.`);
    return others;
  } finally {
    await rm(temporary, { force: true });
  }
  return key;
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
export async function discardNewKeyFile(dataDir: string, key: MasterKey): Promise<void> {
  if (key.origin !== "new file") return;
  const path = masterKeyPath(dataDir);
  const present = await readKeyFile(path);
  if (present !== undefined && timingSafeEqual(present.bytes, key.bytes)) await rm(path, { force: true });
}

function keyOf(bytes: Buffer, origin: MasterKey["origin"]): MasterKey {
  const id = Buffer.from(hkdfSync("sha256", bytes, "", "mooring/master-key-id", 8)).toString("hex");
  return { id, bytes, origin };
}
