import { DEVICE_LIFETIME_MS, SESSION_TOKEN_LIFETIME_S } from "#kernel/limits.ts";

/**
 * What a key is for. `wrap` keys seal values. `lookup` keys hash secrets that arrive again. `mac` keys authenticate
 * values that this server issues and verifies itself. A leaked lookup key is useless, since the secrets are random. A
 * leaked mac key forges access. So they are separate keys with separate rotations.
 */
export type KeyUse = "wrap" | "lookup" | "mac";

const DAY_MS = 24 * 60 * 60 * 1000;
/** The most of `presigned_url_lifetime_s`, and the longest presigned URL of S3. */
const URL_LIFETIME_MS = 7 * DAY_MS;

/** The purposes of each use. A text never changes, because keys are stored under it. */
export const WRAP_PURPOSES = [
  "signing-key",
  "s3-secret-key",
  "s3-object-key",
  "webhook-verification",
  "webhook-token",
  "webhook-secret",
  "totp",
  "answer",
] as const;

/** `renewed`: a row is hashed again when its secret is used or replaced, so the key can be rotated. */
export const LOOKUP_PURPOSES = {
  "client-secret": { renewed: true },
  "webhook-token": { renewed: true },
  "recovery-code": { renewed: true },
  /** Stored events are compared by these hashes, so they must stay the same. */
  "webhook-field": { renewed: false },
  "telemetry-erasure": { renewed: false },
} as const;

/**
 * `lifetimeMs`: the longest time in which a value of this purpose is valid. So long the former key verifies. `bytes`:
 * the length of the code.
 */
export const MAC_PURPOSES = {
  "content-url": { lifetimeMs: URL_LIFETIME_MS, bytes: 32 },
  "s3-grant": { lifetimeMs: URL_LIFETIME_MS, bytes: 32 },
  "person-token": { lifetimeMs: SESSION_TOKEN_LIFETIME_S * 1000, bytes: 32 },
  "registry-token-mrr": { lifetimeMs: 3600 * 1000, bytes: 32 },
  "registry-token-mrrr": { lifetimeMs: 90 * DAY_MS, bytes: 32 },
  /** The most of `registry_upload_lifetime_s`. */
  "registry-upload": { lifetimeMs: 30 * DAY_MS, bytes: 16 },
  "device-cookie": { lifetimeMs: DEVICE_LIFETIME_MS, bytes: 32 },
} as const;

export type WrapPurpose = (typeof WRAP_PURPOSES)[number];
export type LookupPurpose = keyof typeof LOOKUP_PURPOSES;
export type MacPurpose = keyof typeof MAC_PURPOSES;

export interface KeyPlace {
  readonly use: KeyUse;
  readonly purpose: string;
}

/** Every key that the ring must have. */
export const KEY_PLACES: readonly KeyPlace[] = [
  ...WRAP_PURPOSES.map((purpose) => ({ use: "wrap" as const, purpose })),
  ...Object.keys(LOOKUP_PURPOSES).map((purpose) => ({ use: "lookup" as const, purpose })),
  ...Object.keys(MAC_PURPOSES).map((purpose) => ({ use: "mac" as const, purpose })),
];

/** Whether `mooring master-key rotate --data` replaces the key. */
export function isRotated({ use, purpose }: KeyPlace): boolean {
  return use !== "lookup" || LOOKUP_PURPOSES[purpose as LookupPurpose].renewed;
}

/** How long a former key is still needed for values that exist. Null: until no row names it. */
export function lifetimeMsOf({ use, purpose }: KeyPlace): number | null {
  return use === "mac" ? MAC_PURPOSES[purpose as MacPurpose].lifetimeMs : null;
}

/** How keys were derived from the master key before they were stored. */
export function derivationOf({ use, purpose }: KeyPlace): string {
  return `${use === "wrap" ? "envelope" : "hash"}/${purpose}`;
}
