import { createHash } from "node:crypto";
import { fieldOf } from "../../request.ts";
import { missing, twice, type CheckOptions, type Outcome } from "../outcome.ts";
import { isRepeated, type Sent } from "../places.ts";
import { bytesOf, isSigned } from "../signatures.ts";

const FIELD = "X-Twilio-Signature";

/**
 * https://www.twilio.com/docs/usage/webhooks/webhooks-security: the signature covers the address and the parameters of
 * a form, sorted by name. For any other body, the address contains its digest.
 */
export function twilio({ request }: Sent, { secrets }: CheckOptions): Outcome {
  const field = fieldOf(request, FIELD);
  if (field === undefined) return missing(FIELD);
  if (isRepeated(request, FIELD)) return twice(FIELD);
  const given = [bytesOf(field, "base64")];
  const digest = new URLSearchParams(request.query).get("bodySHA256");
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(fieldOf(request, "content-type") ?? "");
  if (digest !== null && !isDigestOf(request.body, digest)) return "bodySHA256 is not the digest of this body";
  if (digest === null && !isForm && request.body.length > 0)
    return "the body is not a form, and the address has no bodySHA256, so the signature does not cover the body";
  const parameters = digest === null && isForm ? formText(request.body) : "";
  const signed = addressesOf(request.url).some((url) =>
    isSigned([url, parameters], { secrets, algorithm: "sha1" }, given),
  );
  return signed ? null : `${FIELD} is not the signature of this body`;
}

function isDigestOf(content: Buffer, sha256: string): boolean {
  return createHash("sha256").update(content).digest("hex") === sha256.toLowerCase();
}

/**
 * Returns names and values, sorted by name, without separators. A repeated name has each distinct value once, in order.
 */
function formText(body: Buffer): string {
  const parameters = new URLSearchParams(body.toString());
  const names = [...new Set(parameters.keys())].toSorted(byCode);
  return names
    .flatMap((name) => [...new Set(parameters.getAll(name))].toSorted(byCode).map((value) => name + value))
    .join("");
}

const byCode = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Returns the address with its port and without. Senders sign one or the other. */
function addressesOf(url: string): string[] {
  const [, scheme = "", host = "", port, rest = ""] = /^(https?):\/\/([^/:]+|\[[^\]]*\])(:\d+)?(.*)$/s.exec(url) ?? [];
  const usual = scheme === "https" ? ":443" : ":80";
  return port === undefined ? [url, `${scheme}://${host}${usual}${rest}`] : [url, `${scheme}://${host}${rest}`];
}
