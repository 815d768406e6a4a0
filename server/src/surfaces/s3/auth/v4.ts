import type { KeyObject } from "node:crypto";
import { S3Error } from "#domain/s3/index.ts";
import type { Fields } from "../wire/fields.ts";
import { parameterOf, type Exchange } from "../wire/request.ts";
import { UNSIGNED_PAYLOAD } from "./payload.ts";
import {
  canonicalRequestOf,
  equalInConstantTime,
  signatureOf,
  stringToSignOf,
  V4_ALGORITHM,
  type Scope,
} from "./signature-v4.ts";
import { basicDateOf, msOfBasicDate, requireNear, requireWithin, signingTimeOf } from "./times.ts";

/** The claims of a request signed by Signature V4. */
export interface V4Claims {
  readonly accessKeyId: string;
  readonly scope: Scope;
  readonly signedHeaders: readonly string[];
  readonly signature: string;
  /** In the form of `x-amz-date`. */
  readonly date: string;
  /** Value of `x-amz-content-sha256`. */
  readonly payload: string;
}

const LIFETIME_S_MAX = 604_800;

/** Returns the claims of an `Authorization` header, after checking its time. @throws S3Error */
export function claimsOfHeader({ fields }: Exchange, nowMs: number, regions: Regions): V4Claims {
  const members = membersOf(fields.get("authorization") ?? "");
  const payload = fields.get("x-amz-content-sha256");
  if (payload === undefined)
    throw new S3Error("InvalidRequest", "Missing required header for this request: x-amz-content-sha256");
  const malformed = (detail: string, field = {}): S3Error =>
    new S3Error("AuthorizationHeaderMalformed", `The authorization header is malformed; ${detail}`, { fields: field });
  const requestMs = signingTimeOf(fields);
  const date = basicDateOf(requestMs);
  const { accessKeyId, scope } = credentialOf(members.get("Credential") ?? "", date, regions, malformed);
  requireNear(requestMs, nowMs);
  const claims = { accessKeyId, scope, date, payload };
  return { ...claims, ...signatureIn(members.get("SignedHeaders") ?? "", members.get("Signature") ?? "", malformed) };
}

/** Reads `Credential=…, SignedHeaders=…,Signature=…`. Clients differ in the spaces after the commas. */
function membersOf(header: string): Map<string, string> {
  const members = new Map<string, string>();
  for (const part of header.slice(V4_ALGORITHM.length).split(",")) {
    const equals = part.indexOf("=");
    const name = part.slice(0, Math.max(0, equals)).trim();
    if (members.has(name) || !["Credential", "SignedHeaders", "Signature"].includes(name))
      throw new S3Error("AuthorizationHeaderMalformed");
    members.set(name, part.slice(equals + 1).trim());
  }
  return members;
}

/** Returns the claims of a presigned URL, after checking that it is valid now. @throws S3Error */
export function claimsOfQuery({ target, fields }: Exchange, nowMs: number, regions: Regions): V4Claims {
  const one = (name: string): string => {
    const values = target.query.filter((parameter) => parameter.name === name);
    if (values.length !== 1) throw malformed(`${name} must be sent once`);
    return values[0]?.value ?? "";
  };
  const malformed = (detail: string, field = {}): S3Error =>
    new S3Error("AuthorizationQueryParametersError", `Error parsing the X-Amz parameters; ${detail}`, {
      fields: field,
    });
  if (one("X-Amz-Algorithm") !== V4_ALGORITHM) throw malformed(`X-Amz-Algorithm must be ${V4_ALGORITHM}`);
  const date = one("X-Amz-Date");
  const startMs = msOfBasicDate(date);
  if (startMs === undefined) throw malformed("X-Amz-Date must be like 20130524T000000Z");
  const expires = one("X-Amz-Expires");
  if (!/^-?[0-9]{1,10}$/.test(expires)) throw malformed("X-Amz-Expires must be a number of seconds");
  if (Number(expires) < 1 || Number(expires) > LIFETIME_S_MAX)
    throw new S3Error("AccessDenied", `X-Amz-Expires must be from 1 to ${LIFETIME_S_MAX}.`);
  const { accessKeyId, scope } = credentialOf(one("X-Amz-Credential"), date, regions, malformed);
  requireWithin(startMs, Number(expires), nowMs);
  const payload = fields.get("x-amz-content-sha256") ?? parameterOf(target, "X-Amz-Content-Sha256") ?? UNSIGNED_PAYLOAD;
  const claims = { accessKeyId, scope, date, payload };
  return { ...claims, ...signatureIn(one("X-Amz-SignedHeaders"), one("X-Amz-Signature"), malformed) };
}

/** The regions that a signature may name, and our own. */
export interface Regions {
  readonly own: string;
  accepts(region: string): boolean;
}

/** Clients without a configured region sign for one of these. */
const COMMON_REGIONS = new Set(["us-east-1", "auto", ""]);

export function regionsOf(own: string): Regions {
  return { own, accepts: (region) => region === own || COMMON_REGIONS.has(region) };
}

type Malformed = (detail: string, fields?: Record<string, string>) => S3Error;

/** `KEY/YYYYMMDD/region/s3/aws4_request` */
export function credentialOf(
  text: string,
  date: string,
  regions: Regions,
  malformed: Malformed,
): Pick<V4Claims, "accessKeyId" | "scope"> {
  const [accessKeyId = "", day = "", region = "", service = "", terminator, ...rest] = text.split("/");
  if (accessKeyId === "" || terminator !== "aws4_request" || rest.length > 0)
    throw malformed("the Credential must be like KEY/YYYYMMDD/REGION/s3/aws4_request");
  if (service !== "s3") throw malformed("the service of the Credential must be s3");
  if (day !== date.slice(0, 8)) throw malformed("the date of the Credential must be that of the request");
  if (!regions.accepts(region))
    throw malformed(`the region '${region}' is wrong; expecting '${regions.own}'`, { Region: regions.own });
  return { accessKeyId, scope: { day, region, service } };
}

function signatureIn(
  names: string,
  signature: string,
  malformed: Malformed,
): Pick<V4Claims, "signedHeaders" | "signature"> {
  const signedHeaders = names.split(";");
  if (!/^[0-9a-f]{64}$/.test(signature)) throw malformed("the Signature must have 64 hexadecimal digits");
  if (!/^[!-:<-~]+(;[!-:<-~]+)*$/.test(names)) throw malformed("the SignedHeaders are missing");
  if (names !== names.toLowerCase() || new Set(signedHeaders).size !== signedHeaders.length)
    throw malformed("the SignedHeaders must be in lower case, each once");
  if (!signedHeaders.includes("host")) throw malformed("the SignedHeaders must include host");
  return { signedHeaders, signature };
}

/**
 * Checks the signature. A signature for our public host is valid too, since a proxy may have replaced the host of the
 * request.
 * @throws S3Error `SignatureDoesNotMatch` with the computed values, `AccessDenied` for fields that must be signed and
 *   are not
 */
export function requireV4Signature(
  exchange: Exchange,
  claims: V4Claims,
  key: Uint8Array | KeyObject,
  publicHost: string,
): void {
  const { fields } = exchange;
  const computed = computedFor(exchange, fields, claims);
  const isSigned = ({ StringToSign }: Computed): boolean =>
    equalInConstantTime(claims.signature, signatureOf(key, StringToSign));
  const isRight =
    isSigned(computed) ||
    (mayBeRewritten(exchange, publicHost) &&
      isSigned(computedFor(exchange, fields.replaced("host", publicHost), claims)));
  if (!isRight) throw mismatch(claims.accessKeyId, claims.signature, computed);
  requireSigned(exchange, claims.signedHeaders);
}

/** False for a host that names a bucket: under another host the same path would be another object. */
function mayBeRewritten({ fields, bucket, key, target }: Exchange, publicHost: string): boolean {
  const namesBucket = bucket !== "" && target.path === `/${key}`;
  return !namesBucket && fields.get("host") !== publicHost;
}

type Computed = { readonly StringToSign: string; readonly CanonicalRequest: string };

function computedFor({ method, target }: Exchange, fields: Fields, claims: V4Claims): Computed {
  const { signedHeaders, payload } = claims;
  const CanonicalRequest = canonicalRequestOf({ method, target, fields, signedHeaders, payload });
  return { StringToSign: stringToSignOf(claims.date, claims.scope, CanonicalRequest), CanonicalRequest };
}

/**
 * Refuses unsigned fields that S3 acts on, since another party may have added them, and signed fields that are missing.
 */
function requireSigned({ fields }: Exchange, signedHeaders: readonly string[]): void {
  const absent = signedHeaders.filter((name) => !fields.has(name));
  const unsigned = fields.names().filter((name) => name.startsWith("x-amz-") && !signedHeaders.includes(name));
  if (absent.length === 0 && unsigned.length === 0) return;
  const message =
    unsigned.length > 0
      ? "There were headers present in the request which were not signed"
      : "There were signed headers that are not in the request";
  throw new S3Error("AccessDenied", message, { fields: { HeadersNotSigned: [...unsigned, ...absent].join(", ") } });
}

/** Tells the client what the server computed. Without that nobody can find out why a signature differs. */
export function mismatch(accessKeyId: string, signature: string, computed: Readonly<Record<string, string>>): S3Error {
  const fields: Record<string, string> = { AWSAccessKeyId: accessKeyId, SignatureProvided: signature };
  for (const [name, text] of Object.entries(computed)) {
    fields[name] = text;
    fields[`${name}Bytes`] = Buffer.from(text, "latin1")
      .toString("hex")
      .replace(/(..)(?=.)/g, "$1 ");
  }
  return new S3Error("SignatureDoesNotMatch", undefined, { fields });
}
