import type { Scheme, Verification } from "../types.ts";
import { BODY, header } from "./places.ts";
import type { Check } from "./recipe.ts";

/** The schemes without a sender. Their details are in the settings of the webhook. */
const GENERIC: Readonly<Partial<Record<Scheme, (verification: Verification) => readonly Check[]>>> = {
  none: () => [],
  basic: () => [{ kind: "basic" }],
  header: ({ header: name = "", prefix = "" }) => [{ kind: "equal", places: [{ ...header(name), prefix }] }],
  hmac: ({ header: name = "", algorithm = "sha256", encoding = "hex", prefix = "" }) => [
    { kind: "hmac", algorithm, key: "text", signature: { field: header(name), prefix, encoding }, parts: [BODY] },
  ],
};

/** Returns the checks of a scheme without a sender; undefined for an unknown scheme. */
export function genericChecksOf(verification: Verification): readonly Check[] | undefined {
  return GENERIC[verification.scheme]?.(verification);
}
