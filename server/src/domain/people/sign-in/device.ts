import { randomBytes } from "node:crypto";
import { splitSigned, type Signatures } from "#domain/identity/index.ts";
import { decodeBase64Url } from "#kernel/decoding.ts";
import { DEVICE_LIFETIME_MS, DEVICE_PEOPLE_MAX } from "#kernel/limits.ts";
import type { Clock } from "#kernel/time.ts";

/**
 * A browser that somebody has signed in with before, known by a signed cookie. The cookie grants nothing. With it the
 * browser's failures are counted apart from those of others at its address, so that others do not slow it down.
 */
export interface Device {
  readonly id: string;
  /** The people who signed in there, most recent first. */
  readonly userIds: readonly string[];
}

interface DeviceDeps {
  readonly envelope: Pick<Signatures, "sign" | "verifyKnown">;
  readonly clock: Clock;
}

interface Claims {
  readonly device: string;
  readonly people: readonly string[];
  /** In seconds. */
  readonly exp: number;
}

const PURPOSE = "device-cookie";
const COOKIE_CHARS_MAX = 1024;

/** Returns undefined if this server did not create the cookie, or if it is too old. */
export function deviceOf({ envelope, clock }: DeviceDeps, cookie: string | null | undefined): Device | undefined {
  if (cookie === null || cookie === undefined || cookie.length > COOKIE_CHARS_MAX) return undefined;
  const bytes = decodeBase64Url(cookie);
  const signed = bytes === undefined ? undefined : splitSigned(PURPOSE, bytes);
  if (signed === undefined || !envelope.verifyKnown(PURPOSE, signed.text, signed.code)) return undefined;
  const { device: id, people: userIds, exp } = JSON.parse(signed.text) as Claims;
  return clock.nowMs() / 1000 < exp ? { id, userIds } : undefined;
}

/** Returns the value of the browser's cookie after this person has signed in. */
export function deviceCookie({ envelope, clock }: DeviceDeps, former: Device | undefined, userId: string): string {
  const people = [userId, ...(former?.userIds ?? []).filter((id) => id !== userId)].slice(0, DEVICE_PEOPLE_MAX);
  const exp = Math.floor((clock.nowMs() + DEVICE_LIFETIME_MS) / 1000);
  const device = former?.id ?? randomBytes(16).toString("base64url");
  const text = JSON.stringify({ device, people, exp } satisfies Claims);
  return Buffer.concat([envelope.sign(PURPOSE, text), Buffer.from(text)]).toString("base64url");
}
