import type { Envelope, SealedPlace } from "#domain/identity/index.ts";
import type { AlertRow } from "./store.ts";

type Sealed = Pick<AlertRow, "id" | "secret" | "secret_version" | "previous_secret" | "previous_secret_until">;

function placeOf(id: string, version: number): SealedPlace {
  return { table: "alert", id, purpose: "webhook-secret", version };
}

export function sealSecret(envelope: Envelope, id: string, version: number, secret: string): Uint8Array {
  return envelope.seal(placeOf(id, version), Buffer.from(secret));
}

/** The secrets that sign now: the present one, and the one before while it still does. */
export function secretsOf(envelope: Envelope, alert: Sealed, nowMs: number): string[] {
  const { id, secret, secret_version: version, previous_secret: previous, previous_secret_until: until } = alert;
  const present = envelope.open(placeOf(id, version), secret).toString();
  if (previous === null || until === null || until <= nowMs) return [present];
  return [present, envelope.open(placeOf(id, version - 1), previous).toString()];
}
