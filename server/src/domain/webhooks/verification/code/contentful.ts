import { escape as escapeQuery } from "node:querystring";
import { fieldOf } from "../../request.ts";
import { missing, twice, type CheckOptions, type Outcome } from "../outcome.ts";
import { isRepeated, type Sent } from "../places.ts";
import { bytesOf, isSigned } from "../signatures.ts";
import { lateness } from "../times.ts";

const SIGNATURE = "X-Contentful-Signature";
const SIGNED = "x-contentful-signed-headers";
const TIME = "x-contentful-timestamp";
const TOLERANCE_S = 30;
const SIGNED_MAX = 100;

/**
 * https://www.contentful.com/developers/docs/webhooks/request-verification/: HMAC-SHA-256 over the method, the path, the
 * header fields that the request lists, and the body, each on a line.
 */
export function contentful({ request }: Sent, { secrets, nowMs, verification }: CheckOptions): Outcome {
  const [signature, listed, time] = [SIGNATURE, SIGNED, TIME].map((name) => fieldOf(request, name));
  if (signature === undefined) return missing(SIGNATURE);
  if (listed === undefined || time === undefined) return missing(`${SIGNED} or ${TIME}`);
  const names = listed.split(",");
  if (!names.includes(SIGNED) || !names.includes(TIME)) return `${SIGNED} must list itself and ${TIME}`;
  const repeated = [SIGNATURE, ...names.slice(0, SIGNED_MAX)].find((name) => isRepeated(request, name));
  if (repeated !== undefined) return twice(repeated);
  const late = lateness(time, "ms", { nowMs, toleranceS: verification.tolerance_s ?? TOLERANCE_S });
  if (late !== null) return late;
  const fields = names.slice(0, SIGNED_MAX).map((name) => `${name}:${(fieldOf(request, name) ?? "").trim()}`);
  const head = [request.method, pathOf(request.url), fields.join(";"), ""].join("\n");
  const given = [bytesOf(signature, "hex")];
  return isSigned([head, request.body], { secrets, algorithm: "sha256" }, given)
    ? null
    : `${SIGNATURE} is not the signature of this request`;
}

/** The library of Contentful escapes the query, and then the whole path. */
function pathOf(url: string): string {
  const { pathname, search } = new URL(url);
  return encodeURI(search === "" ? pathname : `${pathname}?${escapeQuery(search.slice(1))}`);
}
