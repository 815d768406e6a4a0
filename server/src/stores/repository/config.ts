import { randomBytes } from "node:crypto";
import type { Archive } from "#stores/archive/index.ts";
import { CONFIG } from "./layout.ts";
import { keyIdOf, repositoryKeys, type RepositoryKeys } from "./keys.ts";
import { alteredFile, readBytes } from "./small-files.ts";

const FORMAT = 1;
const REPOSITORY_ID = /^[0-9a-f]{32}$/;

/** The facts of `config` that are readable without a key. */
export interface RepositoryConfig {
  readonly format: number;
  readonly id: string;
  /** The public name of the key. */
  readonly key_id: string;
}

/** Reads `config`. Null: the place has no repository. @throws Error when it was altered, or is newer */
export async function readConfig(archive: Archive): Promise<(RepositoryConfig & { readonly sealed: string }) | null> {
  if ((await archive.sizeOf(CONFIG)) === undefined) return null;
  const config = parsedConfig(await readBytes(archive, CONFIG));
  if (config === undefined) throw alteredFile(archive, CONFIG);
  if (config.format > FORMAT) throw new Error(`${archive.name} was made by a newer version of Mooring`);
  return config;
}

function parsedConfig(bytes: Buffer): (RepositoryConfig & { sealed: string }) | undefined {
  try {
    const { format, id, key_id, sealed } = JSON.parse(bytes.toString()) as Record<string, unknown>;
    const isWhole = typeof format === "number" && typeof key_id === "string" && typeof sealed === "string";
    if (isWhole && typeof id === "string" && REPOSITORY_ID.test(id)) return { format, id, key_id, sealed };
  } catch {
    // The caller names the file.
  }
  return undefined;
}

/** Opens the keys of a repository. @throws Error when the key is another one, or `config` was altered */
export async function openKeys(archive: Archive, backupKey: string): Promise<RepositoryKeys> {
  const config = await readConfig(archive);
  if (config === null) throw new Error(`${archive.name} is not a repository of backups: it has no file ${CONFIG}`);
  const keys = repositoryKeys(backupKey, config.id);
  if (keys.id !== config.key_id)
    throw new Error(`${CONFIG} in ${archive.name} names backup key ${config.key_id}, and the given one is ${keys.id}`);
  try {
    keys.open(placeOf(config), Buffer.from(config.sealed, "base64"));
  } catch (error) {
    throw alteredFile(archive, CONFIG, error);
  }
  return keys;
}

/** Creates a repository if there is none, and opens its keys. */
export async function openOrCreateKeys(archive: Archive, backupKey: string): Promise<RepositoryKeys> {
  if ((await readConfig(archive)) === null) {
    const config = { format: FORMAT, id: randomBytes(16).toString("hex"), key_id: keyIdOf(backupKey) };
    const sealed = repositoryKeys(backupKey, config.id).seal(placeOf(config), new Uint8Array());
    const text = JSON.stringify({ ...config, sealed: sealed.toString("base64") });
    await archive.create(CONFIG, Buffer.from(`${text}\n`));
    await archive.finish();
  }
  return openKeys(archive, backupKey);
}

function placeOf({ format, id, key_id }: RepositoryConfig): string {
  return JSON.stringify([CONFIG, format, id, key_id]);
}
