import { S3Error } from "#domain/s3/index.ts";
import { decodeBase64Url, decodeUtf8 } from "#kernel/decoding.ts";
import type { Answer, Context } from "../context.ts";
import { ownerElements, pageMax, xmlTime } from "../wire/text.ts";
import { renderDocument } from "../wire/xml.ts";

const BUCKETS_MAX = 10_000;

/** The buckets that the key reaches. */
export async function listBuckets({ deps, principal, parameter }: Context): Promise<Answer> {
  const prefix = parameter("prefix");
  const max = pageMax("max-buckets", parameter("max-buckets"), BUCKETS_MAX);
  const after = fromToken(parameter("continuation-token"));
  const page = await deps.domain.buckets.list(principal, { prefix: prefix ?? "", after, max });
  const body = renderDocument("ListAllMyBucketsResult", {
    ...(principal.kind === "key" ? { Owner: ownerElements(principal.owner) } : {}),
    Buckets: {
      Bucket: page.buckets.map(({ name, createdAtMs }) => ({
        Name: name,
        CreationDate: xmlTime(createdAtMs),
        BucketRegion: deps.settings.region,
      })),
    },
    ContinuationToken: page.next === null ? undefined : Buffer.from(page.next).toString("base64url"),
    Prefix: prefix,
  });
  return { body };
}

function fromToken(token: string | undefined): string {
  if (token === undefined) return "";
  const bytes = decodeBase64Url(token);
  const name = bytes === undefined ? undefined : decodeUtf8(bytes);
  if (name === undefined) throw new S3Error("InvalidArgument", "The continuation token provided is incorrect");
  return name;
}
