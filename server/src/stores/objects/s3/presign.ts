import { createHash, createHmac } from "node:crypto";
import type { S3Settings } from "./client.ts";

/**
 * A request that anyone with the URL may make until it expires (Signature Version 4, "Authenticating Requests: Using
 * Query Parameters").
 */
export interface PresignedRequest {
  readonly method: "GET" | "PUT";
  readonly key: string;
  /** Query parameters of the request itself, such as `response-content-type`. */
  readonly query?: Readonly<Record<string, string>>;
  /** Header fields that the request must have with these values. Names are in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly lifetimeS: number;
  readonly nowMs: number;
}

type PresignSettings = Pick<
  S3Settings,
  "endpoint" | "region" | "bucket" | "accessKeyId" | "secretAccessKey" | "sessionToken" | "forcePathStyle"
>;

/** S3's maximum: seven days. */
const LIFETIME_S_MAX = 604_800;

export function presign(settings: PresignSettings, request: PresignedRequest): string {
  const { origin, host, path } = addressOf(settings, request.key);
  const at = new Date(request.nowMs).toISOString().replace(/[-:]|\.\d{3}/g, "");
  const scope = `${at.slice(0, 8)}/${settings.region}/s3/aws4_request`;
  const headers = { ...request.headers, host };
  const names = Object.keys(headers).toSorted();
  const query = canonicalQuery({
    ...request.query,
    "X-Amz-Algorithm": "AWS4-HMAC-SHA256",
    "X-Amz-Credential": `${settings.accessKeyId}/${scope}`,
    "X-Amz-Date": at,
    "X-Amz-Expires": String(Math.min(request.lifetimeS, LIFETIME_S_MAX)),
    "X-Amz-SignedHeaders": names.join(";"),
    ...(settings.sessionToken === undefined ? {} : { "X-Amz-Security-Token": settings.sessionToken }),
  });
  const fields = names.map(
    (name) => `${name}:${(headers[name as keyof typeof headers] ?? "").trim().replace(/ +/g, " ")}\n`,
  );
  const canonical = [request.method, path, query, fields.join(""), names.join(";"), "UNSIGNED-PAYLOAD"].join("\n");
  const text = ["AWS4-HMAC-SHA256", at, scope, createHash("sha256").update(canonical).digest("hex")].join("\n");
  const key = scope
    .split("/")
    .reduce<string | Buffer>((secret, part) => hmac(secret, part), `AWS4${settings.secretAccessKey}`);
  return `${origin}${path}?${query}&X-Amz-Signature=${hmac(key, text).toString("hex")}`;
}

/** Returns the URL with the bucket in the path or in the host name, like the client. */
function addressOf(
  { endpoint, region, bucket, forcePathStyle }: PresignSettings,
  key: string,
): { origin: string; host: string; path: string } {
  const url = new URL(endpoint ?? `https://s3.${region}.amazonaws.com`);
  const host = forcePathStyle ? url.host : `${bucket}.${url.host}`;
  const segments = [...url.pathname.split("/").filter(Boolean), ...(forcePathStyle ? [bucket] : []), ...key.split("/")];
  return { origin: `${url.protocol}//${host}`, host, path: `/${segments.map(encoded).join("/")}` };
}

function canonicalQuery(parameters: Readonly<Record<string, string>>): string {
  return Object.entries(parameters)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .join("&");
}

/** Percent-encodes everything except the unreserved characters of RFC 3986. */
function encoded(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}
