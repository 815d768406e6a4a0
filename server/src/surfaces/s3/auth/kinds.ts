import { S3Error } from "#domain/s3/index.ts";
import { hasParameter, type Exchange } from "../wire/request.ts";
import { V4_ALGORITHM } from "./signature-v4.ts";

/** Every way in which a request may identify its sender. Others are refused. */
export type AuthKind = "anonymous" | "v4-header" | "v4-query" | "v2-header" | "v2-query" | "form";

const V4_PARAMETERS = ["X-Amz-Algorithm", "X-Amz-Credential", "X-Amz-Signature"];
const V2_PARAMETERS = ["AWSAccessKeyId", "Signature"];

/**
 * Returns the one kind of a request's credentials. Two kinds in one request are refused, because a check of one
 * might trust the other.
 * @throws S3Error `InvalidArgument`, `InvalidRequest`, `NotImplemented`
 */
export function kindOf(exchange: Pick<Exchange, "method" | "fields" | "target" | "key">): AuthKind {
  const { fields, target } = exchange;
  const kinds: AuthKind[] = [];
  for (const value of fields.all("authorization")) kinds.push(kindOfHeader(value));
  if (V4_PARAMETERS.some((name) => hasParameter(target, name))) kinds.push("v4-query");
  if (V2_PARAMETERS.some((name) => hasParameter(target, name))) kinds.push("v2-query");
  if (isForm(exchange)) kinds.push("form");
  if (kinds.length > 1)
    throw new S3Error("InvalidArgument", "Only one way of authentication may be used in a request.");
  return kinds[0] ?? "anonymous";
}

function kindOfHeader(value: string): AuthKind {
  if (value.startsWith(`${V4_ALGORITHM} `)) return "v4-header";
  if (value.startsWith("AWS ")) return "v2-header";
  if (value.startsWith("AWS4-ECDSA-P256-SHA256 "))
    throw new S3Error(
      "NotImplemented",
      "Signature V4A (AWS4-ECDSA-P256-SHA256) is not implemented; sign with AWS4-HMAC-SHA256.",
    );
  throw new S3Error("InvalidArgument", `The Authorization header must begin with ${V4_ALGORITHM}.`);
}

function isForm({ method, fields, key }: Pick<Exchange, "method" | "fields" | "key">): boolean {
  return method === "POST" && key === "" && /^multipart\/form-data\b/i.test(fields.all("content-type")[0] ?? "");
}
