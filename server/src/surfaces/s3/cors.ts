import type { IncomingMessage } from "node:http";
import { S3Error, type Bucket, type CorsRule } from "#domain/s3/index.ts";
import type { Answer, S3GatewayDeps } from "./context.ts";
import type { Exchange } from "./wire/request.ts";

/** Returns the CORS fields for a page of another origin; empty when no rule of the bucket matches. */
export function corsFields(bucket: Bucket, raw: IncomingMessage, origin: string): Record<string, string> {
  const method = String(raw.headers["access-control-request-method"] ?? raw.method);
  const rule = ruleFor(bucket, origin, method, []);
  return rule === undefined ? {} : fieldsOf(rule, origin);
}

/**
 * Answers a preflight request by the bucket's rules. A preflight has no credentials: the bucket is found as for an
 * unsigned request, or by the access key in the page's presigned URL.
 * @throws S3Error `AccessDenied`, `InvalidRequest`
 */
export async function preflight(deps: S3GatewayDeps, exchange: Exchange): Promise<Answer> {
  const { fields, bucket: name } = exchange;
  const origin = fields.get("origin");
  const method = fields.get("access-control-request-method");
  if (origin === undefined || method === undefined)
    throw new S3Error("InvalidRequest", "Insufficient information. Origin request header needed.");
  const asked = (fields.list("access-control-request-headers") ?? "")
    .split(",")
    .map((header) => header.trim().toLowerCase())
    .filter((header) => header !== "");
  const bucket = await bucketFor(deps, exchange, name);
  const rule = bucket === undefined ? undefined : ruleFor(bucket, origin, method, asked);
  if (rule === undefined)
    throw new S3Error(
      "AccessDenied",
      "CORSResponse: This CORS request is not allowed. This is usually because the evalution of Origin, request method / Access-Control-Request-Method or Access-Control-Request-Headers are not whitelisted by the resource's CORS spec.",
    );
  return {
    headers: {
      ...fieldsOf(rule, origin),
      ...(asked.length === 0 ? {} : { "access-control-allow-headers": asked.join(", ") }),
      ...(rule.maxAgeS === undefined ? {} : { "access-control-max-age": String(rule.maxAgeS) }),
    },
  };
}

async function bucketFor(deps: S3GatewayDeps, { target }: Exchange, name: string): Promise<Bucket | undefined> {
  const { keys, buckets } = deps.domain;
  const credential = target.query.find(
    (parameter) => parameter.name === "X-Amz-Credential" || parameter.name === "AWSAccessKeyId",
  );
  const accessKeyId = credential?.value.split("/")[0];
  const admitted = accessKeyId === undefined ? undefined : await keys.admit(accessKeyId);
  try {
    return await buckets.find(admitted?.principal ?? (await keys.anonymous()), name);
  } catch (error) {
    // An absent bucket gets the same answer as a bucket without rules.
    if (error instanceof S3Error) return undefined;
    throw error;
  }
}

function ruleFor(bucket: Bucket, origin: string, method: string, headers: readonly string[]): CorsRule | undefined {
  return bucket.config.cors?.find(
    (rule) =>
      rule.allowedMethods.includes(method) &&
      rule.allowedOrigins.some((pattern) => matches(pattern, origin)) &&
      headers.every((header) => rule.allowedHeaders.some((pattern) => matches(pattern.toLowerCase(), header))),
  );
}

/** One `*` matches any text. */
function matches(pattern: string, text: string): boolean {
  const star = pattern.indexOf("*");
  if (star < 0) return pattern === text;
  const [before, after] = [pattern.slice(0, star), pattern.slice(star + 1)];
  return text.length >= before.length + after.length && text.startsWith(before) && text.endsWith(after);
}

/** Never has `access-control-allow-credentials`: S3 uses no cookies, so pages need no credentials. */
function fieldsOf(rule: CorsRule, origin: string): Record<string, string> {
  return {
    "access-control-allow-origin": rule.allowedOrigins.includes("*") ? "*" : origin,
    "access-control-allow-methods": rule.allowedMethods.join(", "),
    ...(rule.exposeHeaders.length === 0 ? {} : { "access-control-expose-headers": rule.exposeHeaders.join(", ") }),
    vary: "Origin, Access-Control-Request-Headers, Access-Control-Request-Method",
  };
}
