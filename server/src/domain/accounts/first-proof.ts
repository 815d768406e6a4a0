import { revokePersonalTokens } from "#domain/identity/index.ts";
import type { Writer } from "#stores/metadata/index.ts";
import { auditPerson } from "./audit.ts";
import type { AccountsDeps, Origin } from "./deps.ts";
import { closeSetUp } from "./operator.ts";
import {
  deleteIdentitiesOf,
  deletePasskeysOf,
  deleteSecondFactor,
  deleteSessionsOf,
  personById,
  setAccount,
  useAccountLinks,
} from "./store.ts";

/** Everything that ended when an address was verified for the first time. It is shown to the person. */
export interface Ended {
  readonly password: boolean;
  readonly second_factor: boolean;
  readonly sessions: number;
  readonly passkeys: number;
  readonly tokens: number;
  readonly identities: number;
}

export interface Proof {
  readonly userId: string;
  readonly by: "mailed_link" | "mailed_invitation" | "provider" | "operator_link" | "set_up";
  /** The identity that verified the address. It stays. */
  readonly identity?: { readonly issuer: string; readonly subject: string };
}

/**
 * Marks the address as verified, in the caller's transaction. Somebody else may have created the account. So the first
 * verification ends every older way to sign in: password, second factor, sessions, passkeys, personal access tokens and
 * identities at providers. Returns null if the address was verified before, or if nothing had to end. Call it before
 * any other audit entry of the transaction.
 */
export async function proveAddress(
  deps: AccountsDeps,
  tx: Writer,
  proof: Proof,
  origin: Origin,
): Promise<Ended | null> {
  const { userId, by, identity } = proof;
  const person = await personById(tx, userId);
  if (person === undefined || person.verified_at !== null) return null;
  await closeSetUp(deps, tx, userId, origin);
  await setAccount(tx, userId, { verified_at: deps.clock.nowMs(), password_hash: null });
  await useAccountLinks(tx, userId, deps.clock.nowMs());
  const ended: Ended = {
    password: person.password_hash !== null,
    second_factor: await deleteSecondFactor(tx, userId),
    sessions: await deleteSessionsOf(tx, userId),
    passkeys: await deletePasskeysOf(tx, userId),
    identities: await deleteIdentitiesOf(tx, userId, identity),
    tokens: await revokePersonalTokens(deps, tx, userId),
  };
  await auditPerson(deps, tx, userId, { action: "person.verify", origin, detail: { email: person.email, by, ended } });
  return Object.values(ended).some((part) => part !== false && part !== 0) ? ended : null;
}
