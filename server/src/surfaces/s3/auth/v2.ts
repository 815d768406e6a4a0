import { createHmac } from "node:crypto";
import { S3Error } from "#domain/s3/index.ts";
import { uriEncodedPath } from "../wire/target.ts";
import type { Exchange } from "../wire/request.ts";
import { SELECTORS } from "../wire/sub-resources.ts";
import { equalInConstantTime } from "./signature-v4.ts";
import { requireNear, signingTimeOf } from "./times.ts";
import { mismatch } from "./v4.ts";

/** Requests that may be signed by Signature V2: none, presigned URLs and forms only, or all. */
export type V2Policy = "refuse" | "urls" | "all";

/** The claims of a request signed by Signature V2. */
export interface V2Claims {
  readonly accessKeyId: string;
  readonly signature: string;
  /** The text at the place of the date in the string to sign. */
  readonly date: string;
}

/**
 * Query parameters that the signature covers: every parameter that selects another operation, also those that are newer
 * than Signature V2. Otherwise a signed URL could be changed into another operation. `list-type` is left out: it only
 * chooses another form of the same listing, and no client signs it.
 */
const COVERED: ReadonlySet<string> = new Set([
  ...[...SELECTORS].filter((name) => name !== "list-type"),
  ..."partNumber versionId response-content-type response-content-language response-expires response-cache-control".split(
    " ",
  ),
  ..."response-content-disposition response-content-encoding".split(" "),
]);

/** `AWS KEY:SIGNATURE` @throws S3Error `InvalidArgument`, `AccessDenied`, `RequestTimeTooSkewed` */
export function claimsOfV2Header({ fields }: Exchange, nowMs: number): V2Claims {
  const [, accessKeyId, signature] = /^AWS ([^:\s]+):([A-Za-z0-9+/=]+)$/.exec(fields.get("authorization") ?? "") ?? [];
  if (accessKeyId === undefined || signature === undefined)
    throw new S3Error("InvalidArgument", "The Authorization header must be like AWS KEY:SIGNATURE.");
  requireNear(signingTimeOf(fields), nowMs);
  // If x-amz-date was sent, the line for the date is empty, because that field is signed.
  return { accessKeyId, signature, date: fields.has("x-amz-date") ? "" : (fields.get("date") ?? "") };
}

/** `AWSAccessKeyId`, `Expires`, `Signature` @throws S3Error `AccessDenied` */
export function claimsOfV2Query({ target }: Exchange, nowMs: number): V2Claims {
  const one = (name: string): string => {
    const values = target.query.filter((parameter) => parameter.name === name);
    const value = values[0]?.value ?? "";
    if (values.length !== 1 || value === "")
      throw new S3Error(
        "AccessDenied",
        "A URL that is presigned by Signature V2 has AWSAccessKeyId, Expires and Signature, each once.",
      );
    return value;
  };
  const expires = one("Expires");
  if (!/^[0-9]{1,12}$/.test(expires)) throw new S3Error("AccessDenied", "Expires must be a number of seconds.");
  const claims = { accessKeyId: one("AWSAccessKeyId"), signature: one("Signature"), date: expires };
  if (nowMs >= Number(expires) * 1000) {
    const times = {
      Expires: new Date(Number(expires) * 1000).toISOString(),
      ServerTime: new Date(nowMs).toISOString(),
    };
    throw new S3Error("AccessDenied", "Request has expired.", { fields: times });
  }
  return claims;
}

/** @throws S3Error `SignatureDoesNotMatch` */
export function requireV2Signature(exchange: Exchange, claims: V2Claims, secret: string): void {
  const texts = [v2StringToSign(exchange, claims.date), ...withSlash(exchange, claims.date)];
  const isRight = (text: string): boolean => {
    const right = createHmac("sha1", secret).update(text, "latin1").digest("base64");
    return equalInConstantTime(claims.signature, right);
  };
  if (!texts.some(isRight)) throw mismatch(claims.accessKeyId, claims.signature, { StringToSign: texts[0] ?? "" });
}

/** boto signs the path of a bucket with a slash at its end, and requests it without. */
function withSlash(exchange: Exchange, date: string): string[] {
  const { target, bucket, key } = exchange;
  if (key !== "" || target.path !== `/${bucket}`) return [];
  return [v2StringToSign({ ...exchange, target: { ...target, path: `${target.path}/` } }, date)];
}

export function v2StringToSign({ method, fields, target, bucket, key }: Exchange, date: string): string {
  const amz = fields
    .names()
    .filter((name) => name.startsWith("x-amz-"))
    .toSorted()
    .map((name) => `${name}:${fields.all(name).join(",").replace(/\s+/g, " ")}\n`)
    .join("");
  const covered = target.query
    .filter(({ name }) => COVERED.has(name))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, value }) => (value === "" ? name : `${name}=${value}`))
    .join("&");
  // The resource to sign contains the bucket in both styles of address.
  const isVirtualHost = bucket !== "" && target.path === `/${key}`;
  const path = isVirtualHost ? `/${bucket}/${key}` : target.path;
  const resource = `${uriEncodedPath(path)}${covered === "" ? "" : `?${covered}`}`;
  const [md5 = "", type = ""] = [fields.get("content-md5"), fields.get("content-type")];
  return `${method}\n${md5}\n${type}\n${date}\n${amz}${resource}`;
}
