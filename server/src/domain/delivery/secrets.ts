import type { Envelope, SealedPlace } from "#domain/identity/index.ts";
import { newWebhookSecret } from "#kernel/webhook-signature.ts";
import type { Clock } from "#kernel/time.ts";

/** Tables with a secret that signs messages. The seal contains the table's name, so the name never changes. */
export type SecretTable = "alert" | "s3_destination" | "webhook_destination";

export interface SecretColumns {
  readonly secret: Uint8Array;
  readonly secret_version: number;
  readonly previous_secret: Uint8Array | null;
  readonly previous_secret_until: number | null;
}

/** The columns with the secrets. A table without rotation has only `secret`. */
export type SigningColumns = Pick<SecretColumns, "secret"> & Partial<SecretColumns>;

export function sealSecret(
  envelope: Envelope,
  { table, id, version = 1 }: { readonly table: SecretTable; readonly id: string; readonly version?: number },
  secret: string,
): Uint8Array {
  return envelope.seal(placeOf(table, id, version), Buffer.from(secret));
}

/** Returns the secrets that sign now: the current one, and the previous one until its overlap ends. */
export function signingSecrets(
  envelope: Envelope,
  table: SecretTable,
  row: { readonly id: string } & SigningColumns,
  nowMs: number,
): string[] {
  const { id, secret, secret_version: version = 1, previous_secret: previous, previous_secret_until: until } = row;
  const current = envelope.open(placeOf(table, id, version), secret).toString();
  if (!previous || !until || until <= nowMs) return [current];
  return [current, envelope.open(placeOf(table, id, version - 1), previous).toString()];
}

/** Creates a secret that signs at once. Returns it with the columns of its row. */
export function rotatedSecret(
  { envelope, clock }: { readonly envelope: Envelope; readonly clock: Clock },
  table: SecretTable,
  row: { readonly id: string } & SecretColumns,
  overlapMs: number,
): { readonly secret: string; readonly formerUntilMs: number | null; readonly columns: SecretColumns } {
  const secret = newWebhookSecret();
  const version = row.secret_version + 1;
  const formerUntilMs = overlapMs === 0 ? null : clock.nowMs() + overlapMs;
  const columns = {
    secret: sealSecret(envelope, { table, id: row.id, version }, secret),
    secret_version: version,
    previous_secret: formerUntilMs === null ? null : row.secret,
    previous_secret_until: formerUntilMs,
  };
  return { secret, formerUntilMs, columns };
}

function placeOf(table: SecretTable, id: string, version: number): SealedPlace {
  return { table, id, purpose: "webhook-secret", version };
}
