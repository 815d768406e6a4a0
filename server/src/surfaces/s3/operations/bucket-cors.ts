import { S3Error, type CorsRule } from "#domain/s3/index.ts";
import { readSmallBody } from "../body.ts";
import type { Answer, Context } from "../context.ts";
import { renderDocument } from "../wire/xml.ts";
import { childrenOf, numberIn, parseDocument, textIn, type Element } from "../wire/xml-tree.ts";

const BODY_BYTES_MAX = 64 * 1024;
const RULES_MAX = 100;
const METHODS = new Set(["GET", "PUT", "POST", "DELETE", "HEAD"]);

export async function getBucketCors({ bucket }: Context): Promise<Answer> {
  const { cors } = bucket.config;
  if (cors === undefined) throw new S3Error("NoSuchCORSConfiguration");
  const body = renderDocument("CORSConfiguration", {
    CORSRule: cors.map((rule) => ({
      ID: rule.id,
      AllowedMethod: rule.allowedMethods,
      AllowedOrigin: rule.allowedOrigins,
      AllowedHeader: rule.allowedHeaders,
      ExposeHeader: rule.exposeHeaders,
      MaxAgeSeconds: rule.maxAgeS,
    })),
  });
  return { body };
}

export async function putBucketCors(context: Context): Promise<Answer> {
  const { deps, caller, bucket } = context;
  const root = parseDocument(await readSmallBody(context, BODY_BYTES_MAX), "CORSConfiguration");
  const value = childrenOf(root, "CORSRule").map(ruleOf);
  if (value.length === 0 || value.length > RULES_MAX)
    throw new S3Error("MalformedXML", `There must be from 1 to ${RULES_MAX} rules.`);
  await deps.domain.buckets.configure(caller, bucket, { kind: "cors", value });
  return {};
}

export async function deleteBucketCors({ deps, caller, bucket }: Context): Promise<Answer> {
  await deps.domain.buckets.configure(caller, bucket, { kind: "cors", value: null });
  return { status: 204 };
}

function ruleOf(element: Element): CorsRule {
  const texts = (name: string): string[] => childrenOf(element, name).map((child) => child.text.trim());
  const [id, maxAgeS] = [textIn(element, "ID"), numberIn(element, "MaxAgeSeconds")];
  const rule = {
    allowedOrigins: texts("AllowedOrigin"),
    allowedMethods: texts("AllowedMethod"),
    allowedHeaders: texts("AllowedHeader"),
    exposeHeaders: texts("ExposeHeader"),
    ...(id === undefined ? {} : { id }),
    ...(maxAgeS === undefined ? {} : { maxAgeS }),
  };
  const { allowedMethods, allowedOrigins, allowedHeaders, exposeHeaders } = rule;
  if (allowedMethods.length === 0 || allowedOrigins.length === 0)
    throw new S3Error("MalformedXML", "A rule needs an AllowedMethod and an AllowedOrigin.");
  const unknown = allowedMethods.find((method) => !METHODS.has(method));
  if (unknown !== undefined)
    throw new S3Error(
      "InvalidRequest",
      `Found unsupported HTTP method in CORS config. Unsupported method is ${unknown}`,
    );
  for (const pattern of [...allowedOrigins, ...allowedHeaders])
    if (pattern.split("*").length > 2)
      throw new S3Error("InvalidRequest", `"${pattern}" can not have more than one wildcard.`);
  // These names become a header field of an answer.
  if (exposeHeaders.some((name) => !/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)))
    throw new S3Error("InvalidRequest", "An ExposeHeader must be the name of a header field.");
  return rule;
}
