import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from "node:crypto";
import { isWellFormedSecret, newSecret } from "#kernel/secrets.ts";

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const ID_BYTES = 16;

export function newBackupKey(): string {
  return newSecret("mrbk");
}

export function isBackupKey(text: string): boolean {
  return isWellFormedSecret("mrbk", text);
}

/** The keys of a repository, derived from the backup key. */
export interface RepositoryKeys {
  /** Names the backup key without revealing it. */
  readonly id: string;
  /** Returns the id of an item. Nobody can compute it without the key, so ids do not reveal known contents. */
  itemId(kind: string, ...parts: readonly (string | Uint8Array)[]): string;
  /** The place is authenticated, so bytes can't be exchanged. */
  seal(place: string, plain: Uint8Array): Buffer;
  /** @throws Error when the bytes were altered, or are of another place */
  open(place: string, sealed: Uint8Array): Buffer;
}

/** @throws Error when the text is not a backup key */
export function repositoryKeys(backupKey: string, repositoryId: string): RepositoryKeys {
  if (!isBackupKey(backupKey))
    throw new Error("this is not a backup key: it begins with mrbk_ and ends with its checksum");
  const derived = (purpose: string): Buffer => Buffer.from(hkdfSync("sha256", backupKey, repositoryId, purpose, 32));
  const [ids, data] = [derived("mooring backup ids"), derived("mooring backup data")];
  return {
    id: keyIdOf(backupKey),
    itemId: (kind, ...parts) => {
      const hmac = createHmac("sha256", ids).update(`${kind}\0`);
      for (const part of parts) hmac.update(part);
      return hmac.digest().subarray(0, ID_BYTES).toString("base64url");
    },
    seal: (place, plain) => {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv("aes-256-gcm", data, nonce, { authTagLength: TAG_BYTES }).setAAD(
        Buffer.from(place),
      );
      return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
    },
    open: (place, sealed) => {
      const decipher = createDecipheriv("aes-256-gcm", data, sealed.subarray(0, NONCE_BYTES), {
        authTagLength: TAG_BYTES,
      })
        .setAAD(Buffer.from(place))
        .setAuthTag(sealed.subarray(-TAG_BYTES));
      return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
    },
  };
}

/** Returns the public name of a backup key. */
export function keyIdOf(backupKey: string): string {
  return Buffer.from(hkdfSync("sha256", backupKey, "", "mooring backup key id", 8)).toString("hex");
}
