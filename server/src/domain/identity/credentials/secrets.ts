import type { Envelope } from "#domain/identity/keys/index.ts";
import { newId } from "#kernel/ids.ts";
import type { Clock } from "#kernel/time.ts";
import type { Writer } from "#stores/metadata/index.ts";
import { hintOf } from "./input.ts";
import { CLIENT_SECRET_HASH } from "./sign-in.ts";
import { deleteSecrets, expireSecret, insertSecret, secretsOf } from "./store.ts";

/** The most valid secrets at once: the current one and its successor. */
const LIVE_SECRETS_MAX = 2;

/** Stores a keyed hash of a secret of the credential. */
export async function addSecret(
  { envelope, clock }: { readonly envelope: Envelope; readonly clock: Clock },
  tx: Writer,
  credentialId: string,
  secret: string,
): Promise<void> {
  const nowMs = clock.nowMs();
  const { hash, key } = envelope.lookupHash(CLIENT_SECRET_HASH, secret);
  await insertSecret(tx, {
    id: newId("sec", nowMs),
    credential_id: credentialId,
    hash: hash.toString("hex"),
    hash_key: key,
    hint: hintOf(secret),
    created_at: nowMs,
    expires_at: null,
    last_used_at: null,
  });
}

/** Keeps the newest valid secret for the overlap, and deletes all others. */
export async function retireSecrets(
  { clock }: { readonly clock: Clock },
  tx: Writer,
  credentialId: string,
  overlapS: number,
): Promise<void> {
  const nowMs = clock.nowMs();
  const endsAtMs = nowMs + overlapS * 1000;
  const present = await secretsOf(tx, credentialId);
  const live = present.filter((row) => row.expires_at === null || nowMs < row.expires_at);
  const kept = overlapS === 0 ? [] : live.slice(0, LIVE_SECRETS_MAX - 1);
  for (const row of kept)
    if (row.expires_at === null || row.expires_at > endsAtMs) await expireSecret(tx, row.id, endsAtMs);
  const gone = present.filter((row) => !kept.includes(row));
  await deleteSecrets(
    tx,
    gone.map((row) => row.id),
  );
}
