import { failurePlaceOf, requireUsable } from "#domain/identity/index.ts";
import { S3Error, type AdmittedKey, type S3Keys } from "#domain/s3/index.ts";

export interface ProofDeps {
  readonly keys: S3Keys;
  /**
   * Failures of a key at an address.
   * @throws Problem `rate_limited` when there were too many
   */
  readonly failures: { fail(whose: string): void };
}

/** Who claims to have which key. */
export interface Claimant {
  readonly accessKeyId: string;
  readonly ip: string | null;
}

/** The errors that a guesser gets. */
const GUESSED = new Set(["InvalidAccessKeyId", "SignatureDoesNotMatch"]);

/**
 * The key, once `verify` has seen a signature with its secret. A right signature is accepted after any failures: nobody
 * can lock others out of their key by failing for it. Only a caller with the secret learns that the key waits for an
 * approval, or may not be used from there.
 * @throws S3Error `InvalidAccessKeyId`, the errors of `verify`; Problem `approval_pending`, `address_not_allowed`;
 *   `rate_limited` for a guesser
 */
export async function proven(
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
