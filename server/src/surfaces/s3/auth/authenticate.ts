import type { KeyObject } from "node:crypto";
import { S3Error, type S3Principal } from "#domain/s3/index.ts";
import type { Fields } from "../wire/fields.ts";
import { hasParameter, type Exchange } from "../wire/request.ts";
import { authenticateKey, type ProofDeps } from "./admit.ts";
import { authenticateForm, type FormFields } from "./form.ts";
import { kindOf, type AuthKind } from "./kinds.ts";
import { payloadOf, type Payload } from "./payload.ts";
import { SigningKeys } from "./signature-v4.ts";
import { claimsOfV2Header, claimsOfV2Query, requireV2Signature, type V2Claims, type V2Policy } from "./v2.ts";
import { claimsOfHeader, claimsOfQuery, requireV4Signature, type Regions, type V4Claims } from "./v4.ts";

/** The sender of a request, and its trusted parts. */
export interface Authentication {
  readonly kind: AuthKind;
  readonly principal: S3Principal;
  readonly payload: Payload;
  /** The header, and the fields that a presigned URL has in its query. */
  readonly fields: Fields;
  /** Names of fields that came in the query. */
  readonly hoisted: ReadonlySet<string>;
}

export interface AuthenticatorDeps extends ProofDeps {
  readonly nowMs: () => number;
  readonly regions: Regions;
  readonly v2: V2Policy;
  /** The host of the public address. Clients sign it even when a proxy before us sets another one. */
  readonly publicHost: string;
}

export interface S3Authenticator {
  /**
   * Decides who sent a request. This is the only place that does. It runs before any look-up for the request.
   * @param form the fields before a form's file, if `kindOf` says that the request is a form
   * @throws S3Error
   */
  authenticate(exchange: Exchange, form?: FormFields): Promise<Authentication>;
}

export function createS3Authenticator(deps: AuthenticatorDeps): S3Authenticator {
  const signingKeys = new SigningKeys();
  return {
    authenticate: async (exchange, form) => {
      refuseSessionTokens(exchange);
      const kind = kindOf(exchange);
      switch (kind) {
        case "anonymous":
          return anonymous(deps, exchange);
        case "v4-header":
          return ofV4(deps, signingKeys, exchange, claimsOfHeader(exchange, deps.nowMs(), deps.regions), kind);
        case "v4-query":
          return ofV4(deps, signingKeys, exchange, claimsOfQuery(exchange, deps.nowMs(), deps.regions), kind);
        case "v2-header":
          requireV2(deps.v2 === "all");
          return ofV2(deps, exchange, claimsOfV2Header(exchange, deps.nowMs()), kind);
        case "v2-query":
          requireV2(deps.v2 !== "refuse");
          return ofV2(deps, exchange, claimsOfV2Query(exchange, deps.nowMs()), kind);
        case "form": {
          if (form === undefined) throw new S3Error("MalformedPOSTRequest");
          const principal = await authenticateForm({ ...deps, signingKeys }, form, exchange.ip);
          return { ...unsignedBody(exchange), kind, principal };
        }
        default:
          throw new Error(`no way to authenticate ${String(kind satisfies never)}`);
      }
    },
  };
}

/** Mooring has no session tokens. Ignoring one would accept a token that nobody checked. */
function refuseSessionTokens({ fields, target }: Exchange): void {
  if (fields.has("x-amz-security-token") || hasParameter(target, "X-Amz-Security-Token"))
    throw new S3Error("InvalidToken");
}

function requireV2(isAllowed: boolean): void {
  if (!isAllowed)
    throw new S3Error(
      "InvalidRequest",
      "The authorization mechanism you have provided is not supported. Please use AWS4-HMAC-SHA256. Signature V2 is accepted only if the setting s3_signature_v2 allows it.",
    );
}

async function anonymous(deps: AuthenticatorDeps, exchange: Exchange): Promise<Authentication> {
  return { ...unsignedBody(exchange), kind: "anonymous", principal: await deps.keys.anonymous() };
}

function unsignedBody({ fields }: Exchange): Pick<Authentication, "payload" | "fields" | "hoisted"> {
  const payload = payloadOf(fields.get("x-amz-content-sha256"), null);
  return { payload, fields, hoisted: new Set() };
}

async function ofV4(
  deps: AuthenticatorDeps,
  signingKeys: SigningKeys,
  exchange: Exchange,
  claims: V4Claims,
  kind: "v4-header" | "v4-query",
): Promise<Authentication> {
  const { accessKeyId } = claims;
  const keyFor = (secret: string): KeyObject => signingKeys.keyOf(accessKeyId, secret, claims.scope);
  const { principal, secret } = await authenticateKey(deps, { accessKeyId, ip: exchange.ip }, (admitted) =>
    requireV4Signature(exchange, claims, keyFor(admitted.secret), deps.publicHost),
  );
  const key = keyFor(secret);
  const { date, scope, signature: seed } = claims;
  const payload = payloadOf(claims.payload, kind === "v4-header" ? { key, date, scope, seed } : null);
  return { kind, principal, payload, ...(kind === "v4-query" ? withQuery(exchange) : plainFields(exchange)) };
}

function plainFields({ fields }: Exchange): Pick<Authentication, "fields" | "hoisted"> {
  return { fields, hoisted: new Set() };
}

const PRESIGNING = new Set(
  "algorithm credential date expires signedheaders signature content-sha256".split(" ").map((name) => `x-amz-${name}`),
);

/** Adds the `x-amz-*` fields that presigners move into the query. The signature covers them there too. */
function withQuery({ target, fields }: Exchange): Pick<Authentication, "fields" | "hoisted"> {
  const added = target.query
    // Like header values: one character for each byte.
    .map(({ name, value }): [string, string] => [name.toLowerCase(), Buffer.from(value).toString("latin1")])
    .filter(([name]) => name.startsWith("x-amz-") && !PRESIGNING.has(name));
  return { fields: fields.with(added), hoisted: new Set(added.map(([name]) => name)) };
}

async function ofV2(
  deps: AuthenticatorDeps,
  exchange: Exchange,
  claims: V2Claims,
  kind: "v2-header" | "v2-query",
): Promise<Authentication> {
  const seen = kind === "v2-query" ? withQuery(exchange) : plainFields(exchange);
  const { accessKeyId } = claims;
  // The signature covers these fields in the query as well as in the header.
  const { principal } = await authenticateKey(deps, { accessKeyId, ip: exchange.ip }, ({ secret }) =>
    requireV2Signature({ ...exchange, fields: seen.fields }, claims, secret),
  );
  return { ...unsignedBody(exchange), ...seen, kind, principal };
}
