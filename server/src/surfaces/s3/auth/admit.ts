import { failurePlaceOf, requireUsable } from "#domain/identity/index.ts";
import { S3Error, type AdmittedKey, type S3Keys } from "#domain/s3/index.ts";

export interface ProofDeps {
  readonly keys: S3Keys;
  /**
   * Counts a failure of a key at an address.
   * @throws Problem `rate_limited` after too many
   */
  readonly failures: { fail(whose: string): void };
}

/** The claimed key, and the address of the sender. */
export interface Claimant {
  readonly accessKeyId: string;
  readonly ip: string | null;
}

/** The errors that count as a guess. */
const GUESSED = new Set(["InvalidAccessKeyId", "SignatureDoesNotMatch"]);

/**
 * Returns the key after `verify` has accepted a signature by its secret. A right signature is accepted after any number
 * of failures, so nobody can lock others out of their key. Only a caller with the secret learns that the key waits for
 * an approval, or may not be used from this address.
 * @throws S3Error `InvalidAccessKeyId`, the errors of `verify`; Problem `approval_pending`, `address_not_allowed`;
 *   `rate_limited` after too many failures
 */
export async function authenticateKey(
  { keys, failures }: ProofDeps,
  { accessKeyId, ip }: Claimant,
  verify: (key: AdmittedKey) => void,
): Promise<AdmittedKey> {
  try {
    const key = await keys.admit(accessKeyId);
    if (key === undefined)
      throw new S3Error("InvalidAccessKeyId", undefined, { fields: { AWSAccessKeyId: accessKeyId } });
    verify(key);
    requireUsable(key, ip);
    keys.used(key.principal);
    return key;
  } catch (error) {
    if (error instanceof S3Error && GUESSED.has(error.code))
      failures.fail(`${accessKeyId.slice(0, 64)} ${failurePlaceOf(ip)}`);
    throw error;
  }
}
