import { failurePlaceOf, requireUsable } from "#domain/identity/index.ts";
import { S3Error, type AdmittedKey, type S3Keys } from "#domain/s3/index.ts";

export interface ProofDeps {
  readonly keys: S3Keys;
  /** Of a key at an address. @throws Problem `rate_limited` when there were too many */
  readonly failures: { fail(whose: string): void };
}

/** Who claims to have which key. */
export interface Claimant {
  readonly accessKeyId: string;
  readonly ip: string | null;
}

/** What whoever guesses gets to see. */
const GUESSED = new Set(["InvalidAccessKeyId", "SignatureDoesNotMatch"]);

/**
 * The key, once `verify` has seen a signature with its secret. A right signature is taken whatever failed before it: nobody can keep others from
 * their key by failing for it. Only who has the secret is told that the key waits for an approval, or may not be used from there.
 * @throws S3Error `InvalidAccessKeyId`, what `verify` throws; Problem `approval_pending`, `address_not_allowed`; `rate_limited` for whoever guesses
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
