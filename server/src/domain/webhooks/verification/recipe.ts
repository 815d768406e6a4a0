import type { BODY, METHOD, Place, TIME, URL_TEXT } from "./places.ts";

/** How senders prove that a request is theirs, as data. `checks.ts` interprets it. */

/** A part of the signed text. A string stands for itself. */
export type Part = string | Place | typeof BODY | typeof TIME | typeof URL_TEXT | typeof METHOD;

/**
 * The form in which a sender shows its key: its characters, hexadecimal digits, base64, base64 after `whsec_`, a public
 * Ed25519 key (hexadecimal digits, or base64 after `whpk_`), or a public key as SubjectPublicKeyInfo in base64.
 */
export type SecretForm = "text" | "hex" | "base64" | "whsec";
export type PublicForm = "ed25519_hex" | "whpk" | "spki";

export interface Signature {
  readonly field: Place;
  /** The text before each signature. Entries of a list that begin otherwise are ignored. */
  readonly prefix?: string;
  /** The field is a list with this separator, and one of its signatures must match. */
  readonly separator?: string;
  readonly encoding: "hex" | "base64";
}

/** The signed time of the request. */
export interface SignedTime {
  readonly at: Place;
  readonly unit: "s" | "ms" | "iso";
  /** The largest difference from now; null: the sender names none, so only `tolerance_s` of the webhook limits it. */
  readonly toleranceS: number | null;
}

interface Signed {
  readonly signature: Signature;
  readonly parts: readonly Part[];
  readonly time?: SignedTime;
}

export interface Hmac extends Signed {
  readonly kind: "hmac";
  readonly algorithm: "sha1" | "sha256" | "sha512";
  readonly key: SecretForm;
}

/** A signature of the sender's private key. The webhook's secret is the public key. */
export interface PublicKey extends Signed {
  readonly kind: "ed25519" | "ecdsa";
  readonly key: PublicForm;
}

/** The request contains the secret. At one of the places it must be equal. */
export interface Equal {
  readonly kind: "equal";
  readonly places: readonly (Place & { readonly prefix?: string })[];
}

/** `Authorization: Basic` (RFC 7617). The secret is `user:password`. */
export interface Basic {
  readonly kind: "basic";
}

/** A signature whose recipe does not fit into the table; the name is that of the function in `code/`. */
export interface Code {
  readonly kind: "twilio" | "adyen" | "contentful" | "paypal" | "sns" | "netlify" | "google" | "entra";
}

export type Check = Hmac | PublicKey | Equal | Basic | Code;
