import type { Envelope, KeyedHash, SealedPlace } from "#domain/identity/index.ts";
import type { WebhookRow, WebhookSecrets } from "./types.ts";

export const NO_SECRETS: WebhookSecrets = { secret: null, previous: null, previous_until: null, verify_token: null };

function placeOf(id: string, version: number): SealedPlace {
  return { table: "webhook", id, purpose: "webhook-verification", version };
}

export function sealSecrets(envelope: Envelope, id: string, version: number, secrets: WebhookSecrets): Uint8Array {
  return envelope.seal(placeOf(id, version), Buffer.from(JSON.stringify(secrets)));
}

export function openSecrets(
  envelope: Envelope,
  { id, secrets, secrets_version: version }: Pick<WebhookRow, "id" | "secrets" | "secrets_version">,
): WebhookSecrets {
  if (secrets === null) return NO_SECRETS;
  return JSON.parse(envelope.open(placeOf(id, version), secrets).toString()) as WebhookSecrets;
}

/** Returns the secrets that are valid at this time. */
export function liveSecrets({ secret, previous, previous_until: until }: WebhookSecrets, nowMs: number): string[] {
  const former = previous !== null && until !== null && until > nowMs ? [previous] : [];
  return secret === null ? [] : [secret, ...former];
}

/** Returns the columns of the hash that finds an address. The token itself is not stored in clear text. */
export function tokenColumns(envelope: Pick<Envelope, "lookupHash">, token: string): TokenColumns {
  return columnsOf(envelope.lookupHash("webhook-token", token));
}

/** Returns the hashes that an address may have, the one of the current key first. */
export function possibleTokenColumns(envelope: Pick<Envelope, "lookupHashes">, token: string): TokenColumns[] {
  return envelope.lookupHashes("webhook-token", token).map(columnsOf);
}

export interface TokenColumns {
  readonly token_hash: string;
  readonly hash_key: string;
}

function columnsOf({ hash, key }: KeyedHash): TokenColumns {
  return { token_hash: hash.toString("hex"), hash_key: key };
}

export function sealToken(envelope: Envelope, urlId: string, token: string): Uint8Array {
  return envelope.seal({ table: "webhook_url", id: urlId, purpose: "webhook-token", version: 1 }, Buffer.from(token));
}

export function openToken(envelope: Envelope, urlId: string, sealed: Uint8Array): string {
  return envelope.open({ table: "webhook_url", id: urlId, purpose: "webhook-token", version: 1 }, sealed).toString();
}
