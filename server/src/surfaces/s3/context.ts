import type { ServerResponse } from "node:http";
import {
  S3Error,
  type AccessRequest,
  type Bucket,
  type RequestConditions,
  type S3Caller,
  type S3Domain,
  type S3Principal,
} from "#domain/s3/index.ts";
import type { Envelope } from "#domain/identity/index.ts";
import type { Clock } from "#kernel/time.ts";
import type { ObjectStore } from "#stores/objects/index.ts";
import type { Authentication } from "./auth/authenticate.ts";
import type { V2Policy } from "./auth/v2.ts";
import type { DocumentReader } from "./wire/documents.ts";
import type { Fields } from "./wire/fields.ts";
import { parameterOf, type Exchange } from "./wire/request.ts";
import { pairsOf } from "./wire/tags.ts";

export interface GatewaySettings {
  /** The public address, without a slash at its end. */
  readonly endpoint: string;
  /** The domain whose subdomains are buckets; null: path style only. */
  readonly domain: string | null;
  readonly region: string;
  readonly signatureV2: V2Policy;
  readonly uploadIdleTimeoutMs: number;
  /** The most wrong signatures of one key from one address before further ones are delayed. */
  readonly failedSignaturesMax: number;
  readonly trustedProxies: readonly string[];
}

export interface S3GatewayDeps {
  readonly domain: S3Domain;
  readonly objects: ObjectStore;
  readonly clock: Clock;
  readonly envelope: Pick<Envelope, "seal" | "open">;
  readonly log: { error(fields: object, message: string): void; debug(fields: object, message: string): void };
  readonly documents: DocumentReader;
  /** Counts a request of a key, or of an address if it has no key. @throws Problem `rate_limited` */
  readonly count: (whose: string) => void;
  readonly settings: GatewaySettings;
}

/** The context of an operation: the sender of the request is known and has the permission of its row. */
export interface Context {
  readonly deps: S3GatewayDeps;
  readonly exchange: Exchange;
  readonly auth: Authentication;
  /** The header, and the fields that a presigned URL has in its query. */
  readonly fields: Fields;
  readonly caller: S3Caller;
  readonly principal: S3Principal;
  readonly key: string;
  readonly versionId: string | undefined;
  /** @throws Error in an operation without a bucket */
  readonly bucket: Bucket;
  /** The properties of the request for policies. */
  readonly conditions: RequestConditions;
  /** A parameter of the query, decoded. */
  readonly parameter: (name: string) => string | undefined;
  /** Checks a permission in addition to that of the row. @throws S3Error `AccessDenied` */
  readonly require: (action: string, about?: Partial<AccessRequest>) => Promise<void>;
  /** Like `require`, but returns the result. */
  readonly allows: (action: string, about?: Partial<AccessRequest>) => Promise<boolean>;
}

export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A document, or text. */
  readonly body?: string;
  /** Writes the body after the head. Absent for HEAD. */
  readonly send?: (response: ServerResponse) => Promise<void>;
  /** Releases the resources of `send` when the head could not be sent. */
  readonly release?: () => Promise<void>;
}

/** An operation; throws S3Error or Problem to refuse a request. */
export type Operation = (context: Context) => Promise<Answer>;

export function createContext(
  deps: S3GatewayDeps,
  exchange: Exchange,
  auth: Authentication,
  bucket: Bucket | null,
): Context {
  const { principal, fields } = auth;
  const { ip, requestId, isSecure, key, target } = exchange;
  const conditions = { sourceIp: ip, isSecure, values: conditionValues(exchange, auth) };
  const versionId = parameterOf(target, "versionId");
  const accessTo = (action: string, about: Partial<AccessRequest> = {}): AccessRequest => ({
    ...conditions,
    bucket,
    action,
    ...(key === "" ? {} : { key }),
    ...(versionId === undefined ? {} : { versionId }),
    ...about,
  });
  const context: Context = {
    deps,
    exchange,
    auth,
    fields,
    caller: { principal, ip, requestId },
    principal,
    key,
    versionId: versionId === "" ? undefined : versionId,
    get bucket() {
      if (bucket === null) throw new Error("the operation has no bucket");
      return bucket;
    },
    conditions,
    parameter: (name) => parameterOf(target, name),
    require: (action, about) => deps.domain.access.require(principal, accessTo(action, about)),
    allows: (action, about) => deps.domain.access.allows(principal, accessTo(action, about)),
  };
  return context;
}

const CONDITION_PARAMETERS = ["prefix", "delimiter", "max-keys"];
const CONDITION_FIELD =
  /^x-amz-(acl|copy-source|metadata-directive|server-side-encryption(-customer-algorithm|-aws-kms-key-id)?|grant-.*|storage-class|content-sha256|object-lock-.*)$/;
const SIGNATURE_VERSIONS: Readonly<Record<string, string>> = { "v2-header": "AWS", "v2-query": "AWS" };

/** The condition keys of the policy language that the request has values for. */
function conditionValues({ target }: Exchange, { fields, kind }: Authentication): Record<string, string> {
  const values: Record<string, string> = {};
  for (const name of CONDITION_PARAMETERS) {
    const value = parameterOf(target, name);
    if (value !== undefined) values[`s3:${name}`] = value;
  }
  const versionId = parameterOf(target, "versionId");
  if (versionId !== undefined) values["s3:versionid"] = versionId;
  for (const name of fields.names()) if (CONDITION_FIELD.test(name)) values[`s3:${name}`] = fields.list(name) ?? "";
  Object.assign(values, tagValues(pairsOf(fields.get("x-amz-tagging") ?? "")));
  const [referer, agent] = [fields.list("referer"), fields.list("user-agent")];
  if (referer !== undefined) values["aws:referer"] = referer;
  if (agent !== undefined) values["aws:useragent"] = agent;
  if (kind !== "anonymous") {
    values["s3:signatureversion"] = SIGNATURE_VERSIONS[kind] ?? "AWS4-HMAC-SHA256";
    values["s3:authtype"] = kind.endsWith("query") ? "REST-QUERY-STRING" : kind === "form" ? "POST" : "REST-HEADER";
  }
  return values;
}

/** The condition keys of tags that a request sets. */
export function tagValues(tags: Iterable<readonly [string, string]>): Record<string, string> {
  const values: Record<string, string> = {};
  for (const [name, value] of tags) values[`s3:requestobjecttag/${name.toLowerCase()}`] = value;
  return values;
}

/** Returns the key if S3 allows its length. @throws S3Error `KeyTooLongError` */
export function requireKey({ key }: { readonly key: string }): string {
  if (Buffer.byteLength(key) > KEY_BYTES_MAX)
    throw new S3Error("KeyTooLongError", undefined, {
      fields: { Size: String(Buffer.byteLength(key)), MaxSizeAllowed: String(KEY_BYTES_MAX) },
    });
  return key;
}

const KEY_BYTES_MAX = 1024;
