import { errors } from "jose";
import { KeyRefusal, KeysUnavailable, type CheckOptions, type KeySource, type Outcome } from "../outcome.ts";

/** Runs a check that needs the sender's published keys. A key that can't be used is a reason to refuse the request. */
export async function withKeys(
  { keys }: Pick<CheckOptions, "keys">,
  check: (keys: KeySource) => Promise<Outcome>,
): Promise<Outcome> {
  if (keys === undefined) throw new KeysUnavailable("keys of senders can't be read here");
  return refusalOf(() => check(keys));
}

/** Runs a check, and returns the reason if a key or a token is refused. */
export async function refusalOf(check: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await check();
  } catch (error) {
    if (error instanceof KeyRefusal) return error.message;
    if (error instanceof errors.JOSEError) return `the token is refused: ${error.message}`;
    throw error;
  }
}
