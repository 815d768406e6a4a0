import type { Handshake } from "../types.ts";
import { BODY, header, type Place } from "../verification/places.ts";
import type { Check, Hmac, Signature } from "../verification/recipe.ts";

/** A test request that a sender makes before it sends events. */
export type SenderHandshake =
  | Handshake
  | "head"
  | "zoom"
  | "okta"
  | "event_grid"
  | "dropbox"
  | "discord"
  | "sns"
  | "form_ping";

/** The answer that a sender expects instead of 202 with the event's identifier. */
export interface ExpectedAnswer {
  readonly status: 200 | 204;
  /** Plain text instead of the identifier. */
  readonly body?: string;
}

/** How a sender signs, names and describes its events. A row of the table. */
export interface Sender {
  /** One of them must pass. Empty: the sender proves nothing. */
  readonly verify: readonly Check[];
  /** Places of the event's name. The first alternative counts of which every place has a value. */
  readonly id: readonly (readonly Place[])[];
  /** Places of the event's type. The first that has a value counts. */
  readonly type: readonly Place[];
  /** Each element of a list in the body is an event. */
  readonly batch?: true;
  readonly handshakes?: readonly SenderHandshake[];
  readonly answer?: ExpectedAnswer;
  /** The form that the secret must have, and the words for it. */
  readonly secret?: { readonly form: RegExp; readonly detail: string };
  /** The token's audience must be set, because it has no default. */
  readonly needsAudience?: true;
  /** The page of the sender that describes this. */
  readonly source: string;
  /** The package and function of the sender that signs or verifies in a test (`sdk.full.ts`). */
  readonly sdk?: string;
}

/** Most senders: an HMAC-SHA-256 of the body, in hexadecimal digits, with the secret as text. */
export function hmacOfBody(
  field: string,
  change: Partial<Pick<Hmac, "algorithm" | "key" | "parts" | "time">> & Partial<Signature> = {},
): readonly Hmac[] {
  const { algorithm = "sha256", key = "text", parts = [BODY], time, encoding = "hex", prefix, separator } = change;
  const signature = {
    field: header(field),
    encoding,
    ...(prefix === undefined ? {} : { prefix }),
    ...(separator === undefined ? {} : { separator }),
  };
  return [{ kind: "hmac", algorithm, key, signature, parts, ...(time === undefined ? {} : { time }) }];
}
