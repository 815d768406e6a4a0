import { Fields } from "../wire/fields.ts";
import { uriEncoded, uriEncodedPath, type QueryParameter } from "../wire/target.ts";
import { UNSIGNED_PAYLOAD } from "./payload.ts";
import { canonicalRequestOf, deriveKey, scopeText, signatureOf, stringToSignOf, V4_ALGORITHM } from "./signature-v4.ts";
import { basicDateOf } from "./times.ts";

export interface Presigning {
  readonly method: "GET" | "PUT";
  readonly bucket: string;
  readonly key: string;
  /** Parameters other than those of the signature, which covers them. */
  readonly query: readonly QueryParameter[];
  /** Fields that the request must send with exactly these values, by lower-case name. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly accessKeyId: string;
  readonly secret: string;
  readonly atMs: number;
  readonly lifetimeS: number;
}

/**
 * Returns a target with its query, below the gateway's address, as a client's presigner does (Signature Version 4,
 * query parameters).
 */
export function presignedTarget(
  options: { readonly host: string; readonly region: string },
  request: Presigning,
): string {
  const { method, bucket, key, accessKeyId, secret, headers = {} } = request;
  const date = basicDateOf(request.atMs);
  const scope = { day: date.slice(0, 8), region: options.region, service: "s3" };
  const fields = Object.entries({ host: options.host, ...headers });
  const signedHeaders = fields.map(([name]) => name).toSorted();
  const query = [
    ...request.query,
    { name: "X-Amz-Algorithm", value: V4_ALGORITHM },
    { name: "X-Amz-Credential", value: `${accessKeyId}/${scopeText(scope)}` },
    { name: "X-Amz-Date", value: date },
    { name: "X-Amz-Expires", value: String(request.lifetimeS) },
    { name: "X-Amz-SignedHeaders", value: signedHeaders.join(";") },
  ];
  const canonical = canonicalRequestOf({
    method,
    target: { path: `/${bucket}/${key}`, query },
    fields: Fields.fromRaw(fields.flat()),
    signedHeaders,
    payload: UNSIGNED_PAYLOAD,
  });
  const signature = signatureOf(deriveKey(secret, scope), stringToSignOf(date, scope, canonical));
  const parameters = [...query, { name: "X-Amz-Signature", value: signature }];
  const text = parameters.map(({ name, value }) => `${uriEncoded(name)}=${uriEncoded(value)}`).join("&");
  return `${pathOf(bucket, key)}?${text}`;
}

/**
 * Browsers remove dot segments, encoded ones too. If the slashes are encoded there are no segments (WHATWG URL, path
 * state).
 */
function pathOf(bucket: string, key: string): string {
  const hasDots = key.split("/").some((segment) => segment === "." || segment === "..");
  return hasDots ? `/${uriEncoded(`${bucket}/${key}`)}` : uriEncodedPath(`/${bucket}/${key}`);
}
