import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import type { MasterKey } from "./master-key.ts";

/**
 * A service that wraps keys with a master key that it does not give away. It is used at the start and during a
 * rotation, never for a request. `context` says which key it is. Unwrapping with another context must fail.
 */
export interface KeyService {
  /** Returns the id of the key that wraps now. */
  status(): Promise<{ readonly keyId: string }>;
  wrap(bytes: Uint8Array, context: KeyContext): Promise<Uint8Array>;
  /** @throws Error if the service does not have the key, or the bytes were wrapped in another context */
  unwrap(wrapped: { readonly keyId: string; readonly bytes: Uint8Array }, context: KeyContext): Promise<Uint8Array>;
}

/** The place of a wrapped key, so that the rows of two keys can't be swapped. */
export interface KeyContext {
  readonly id: string;
  readonly use: string;
  readonly purpose: string;
}

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Wraps with AES-256-GCM under a key from `master.key` or the configuration. */
export function localKeyService(master: MasterKey): KeyService {
  const key = Buffer.from(hkdfSync("sha256", master.bytes, "", "mooring/v2/key-ring", 32));
  const boundTo = ({ id, use, purpose }: KeyContext): Buffer => Buffer.from(["key", id, use, purpose].join("|"));
  return {
    status: async () => ({ keyId: master.id }),
    wrap: async (bytes, context) => {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv("aes-256-gcm", key, nonce, { authTagLength: TAG_BYTES }).setAAD(boundTo(context));
      return Buffer.concat([nonce, cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
    },
    unwrap: async ({ bytes }, context) => {
      const [nonce, tag] = [bytes.subarray(0, NONCE_BYTES), bytes.subarray(bytes.length - TAG_BYTES)];
      const decipher = createDecipheriv("aes-256-gcm", key, nonce, { authTagLength: TAG_BYTES });
      decipher.setAAD(boundTo(context)).setAuthTag(tag);
      const body = decipher.update(bytes.subarray(NONCE_BYTES, bytes.length - TAG_BYTES));
      try {
        return Buffer.concat([body, decipher.final()]);
      } catch (error) {
        throw new Error("it was altered, or belongs to another key", { cause: error });
      }
    },
  };
}
