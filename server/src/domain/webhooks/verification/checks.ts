import { verify as verifySignature } from "node:crypto";
import { fieldOf } from "../request.ts";
import { CODE } from "./code/index.ts";
import { publicKeyOf, secretKeyOf } from "./keys.ts";
import { missing, mostTelling, twice, type CheckOptions, type Outcome } from "./outcome.ts";
import { isRepeated, placeName, textAt, textsAt, type Place, type Sent } from "./places.ts";
import type { Check, Equal, Hmac, Part, PublicKey, Signature, SignedTime } from "./recipe.ts";
import { bytesOf, isOneOf, isSigned } from "./signatures.ts";
import { lateness } from "./times.ts";

/** Interprets the recipes. Signatures cover the original bytes of the body, not rewritten JSON. */

const SIGNATURES_MAX = 10;

/**
 * Runs the checks of a sender, of which one must pass. Returns the reason of the first check that found its fields, if
 * all fail.
 */
export function runChecks(checks: readonly Check[], sent: Sent, options: CheckOptions): Outcome | Promise<Outcome> {
  const reasons: string[] = [];
  for (const check of checks) {
    const outcome = runCheck(check, sent, options);
    if (outcome === null || outcome instanceof Promise) return outcome;
    reasons.push(outcome);
  }
  return mostTelling(reasons);
}

function runCheck(check: Check, sent: Sent, options: CheckOptions): Outcome | Promise<Outcome> {
  if (check.kind === "equal") return checkEqual(check, sent, options.secrets);
  if (check.kind === "basic") return checkBasic(sent, options.secrets);
  return "signature" in check ? checkSigned(check, sent, options) : CODE[check.kind](sent, options);
}

function checkSigned(check: Hmac | PublicKey, sent: Sent, options: CheckOptions): Outcome {
  const { signature } = check;
  const name = placeName(signature.field);
  const field = textAt(sent, signature.field);
  if (field === undefined) return missing(name);
  if (signature.separator === undefined && isTwice(sent, signature.field)) return twice(name);
  const read = (place: Place): string | undefined =>
    place.in === "entry" ? entriesOf(field, signature.separator, place.mark)[0] : textAt(sent, place);
  const time = check.time && read(check.time.at);
  const fault = check.time && timeFault(check.time, { time, name, sent }, options);
  if (typeof fault === "string") return fault;
  const content = contentOf(check.parts, { sent, time, read });
  if (typeof content === "string") return content;
  const given = signaturesOf(field, signature);
  if (matches(check, content, given, options.secrets)) return null;
  return given.length === 0 ? `${name} is not in the form of this scheme` : `${name} is not the signature of this body`;
}

function timeFault(
  { at, unit, toleranceS }: SignedTime,
  { time, name, sent }: { time: string | undefined; name: string; sent: Sent },
  { nowMs, verification }: CheckOptions,
): Outcome {
  if (time === undefined) return at.in === "entry" ? `${name} has no time` : missing(placeName(at));
  if (isTwice(sent, at)) return twice(placeName(at));
  return lateness(time, unit, { nowMs, toleranceS: verification.tolerance_s ?? toleranceS });
}

/** Returns the signed text in pieces, or the reason why a piece is missing. */
function contentOf(
  parts: readonly Part[],
  { sent, time, read }: { sent: Sent; time: string | undefined; read: (place: Place) => string | undefined },
): (string | Buffer)[] | string {
  const content: (string | Buffer)[] = [];
  for (const part of parts) {
    if (typeof part === "string") content.push(part);
    else if ("part" in part) content.push(pieceOf(part.part, sent, time));
    else {
      const text = read(part);
      if (text === undefined) return missing(placeName(part));
      if (isTwice(sent, part)) return twice(placeName(part));
      content.push(text);
    }
  }
  return content;
}

function pieceOf(
  part: "body" | "time" | "url" | "method",
  { request }: Sent,
  time: string | undefined,
): string | Buffer {
  switch (part) {
    case "body":
      return request.body;
    case "time":
      return time ?? "";
    case "url":
      return request.url;
    case "method":
      return request.method;
  }
}

function matches(
  check: Hmac | PublicKey,
  content: readonly (string | Buffer)[],
  given: readonly Buffer[],
  secrets: readonly string[],
): boolean {
  if (check.kind === "hmac") {
    const keys = secrets.map((secret) => secretKeyOf(secret, check.key)).filter((key) => key !== undefined);
    return isSigned(content, { secrets: keys, algorithm: check.algorithm }, given);
  }
  const keys = secrets.map((secret) => publicKeyOf(secret, check.key)).filter((key) => key !== undefined);
  const bytes = Buffer.concat(content.map((piece) => (typeof piece === "string" ? Buffer.from(piece) : piece)));
  // Node chooses the algorithm of Ed25519 by the key. `publicKeyOf` returns no other key for it.
  const digest = check.kind === "ed25519" ? null : "sha256";
  return keys.some((key) => given.some((signature) => verifySignature(digest, bytes, key, signature)));
}

function signaturesOf(field: string, { prefix = "", separator, encoding }: Signature): Buffer[] {
  return entriesOf(field, separator, prefix).map((text) => bytesOf(text, encoding));
}

/** Returns the texts after `mark` in the entries of a list, or after `mark` in a single field. */
function entriesOf(field: string, separator: string | undefined, mark: string): string[] {
  const entries = separator === undefined ? [field] : field.split(separator).map((part) => part.trim());
  const marked = entries.filter((part) => part.startsWith(mark)).map((part) => part.slice(mark.length));
  return marked.slice(0, SIGNATURES_MAX);
}

function checkEqual({ places }: Equal, sent: Sent, secrets: readonly string[]): Outcome {
  const reasons: string[] = [];
  for (const place of places) {
    const reason = differenceAt(place, sent, secrets);
    if (reason === null) return null;
    reasons.push(reason);
  }
  return mostTelling(reasons);
}

/** Returns null when the place has the secret, and nothing else. A list must have it in each element. */
function differenceAt(place: Equal["places"][number], sent: Sent, secrets: readonly string[]): Outcome {
  const { prefix = "" } = place;
  const name = placeName(place);
  const texts = textsAt(sent, place);
  if (texts?.every((text) => text.startsWith(prefix)) !== true) return missing(name);
  if (isTwice(sent, place)) return twice(name);
  const isEqual = texts.map((text) => isOneOf(text.slice(prefix.length), secrets)).every(Boolean);
  return isEqual ? null : `${name} is not the secret`;
}

/** RFC 7617. */
function checkBasic({ request }: Sent, secrets: readonly string[]): Outcome {
  if (isRepeated(request, "authorization")) return twice("Authorization");
  const [, pair] = /^Basic +([A-Za-z0-9+/]+=*)$/i.exec(fieldOf(request, "authorization") ?? "") ?? [];
  if (pair === undefined) return missing("Authorization: Basic");
  return isOneOf(Buffer.from(pair, "base64").toString(), secrets) ? null : "the user name or password is wrong";
}

function isTwice({ request }: Sent, place: Place): boolean {
  return place.in === "header" && isRepeated(request, place.name);
}
