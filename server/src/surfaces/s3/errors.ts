import { S3Error, type S3ErrorCode } from "#domain/s3/index.ts";
import { fieldsOf, statusOf } from "#http/index.ts";
import { Problem, type ProblemCode } from "#kernel/problem.ts";
import { DigestMismatch, SizeMismatch, TooLarge } from "#stores/objects/index.ts";
import type { Exchange } from "./wire/request.ts";
import { S3Refusal } from "./wire/refusal.ts";
import { renderDocument } from "./wire/xml.ts";
import { XmlFault } from "./wire/xml-tree.ts";

/** S3's names for the errors of the stores and of the product. */
const CODES: Readonly<Partial<Record<ProblemCode, S3ErrorCode>>> = {
  invalid_request: "InvalidRequest",
  invalid_parameter: "InvalidArgument",
  unauthorized: "AccessDenied",
  not_found: "NoSuchKey",
  method_not_allowed: "MethodNotAllowed",
  request_timeout: "RequestTimeout",
  conflict: "OperationAborted",
  duplicate_slug: "BucketAlreadyExists",
  // S3 counts only buckets in this way.
  limit_reached: "TooManyBuckets",
  precondition_failed: "PreconditionFailed",
  storage_quota_exceeded: "QuotaExceeded",
  quota_exceeded: "QuotaExceeded",
  range_not_satisfiable: "InvalidRange",
  expectation_failed: "InvalidArgument",
  rate_limited: "SlowDown",
  unavailable: "ServiceUnavailable",
  disk_full: "ServiceUnavailable",
  read_timeout: "ServiceUnavailable",
};

const RETRY_AFTER: Readonly<Record<string, string>> = { "retry-after": "1" };

/** Any error as one of S3's. An unknown error is a bug, and is reported as an internal error. */
export function s3ErrorOf(error: unknown): S3Error {
  if (error instanceof S3Error) return error;
  if (error instanceof XmlFault) return new S3Error("MalformedXML", error.detail, { cause: error });
  if (!(error instanceof Problem)) return new S3Error("InternalError", undefined, { cause: error });
  const ofContent = ofStore(error);
  if (ofContent !== undefined) return ofContent;
  const status = statusOf(error);
  const code = CODES[error.code] ?? codeOfStatus(status);
  const headers = { ...(status === 503 ? RETRY_AFTER : {}), ...fieldsOf(error) };
  return new S3Refusal(code, error.message, headers, { cause: error.cause });
}

function codeOfStatus(status: number): S3ErrorCode {
  if (status === 403) return "AccessDenied";
  return status < 500 ? "InvalidRequest" : "InternalError";
}

function ofStore(error: Problem): S3Error | undefined {
  if (error instanceof TooLarge) {
    const fields = { MaxSizeAllowed: String(error.bytesMax) };
    return new S3Error("EntityTooLarge", error.message, { fields });
  }
  if (error instanceof SizeMismatch) return new S3Error("IncompleteBody", error.message);
  if (!(error instanceof DigestMismatch)) return undefined;
  const { algorithm, actual, expected } = error;
  const fields = { ExpectedDigest: expected, CalculatedDigest: actual };
  const name = algorithm === "md5" ? "Content-MD5" : algorithm.toUpperCase();
  return new S3Error("BadDigest", `The ${name} you specified did not match the calculated checksum.`, { fields });
}

/** An error as a document, with the ids that find it in the log. */
export function errorDocument(error: S3Error, { requestId, hostId, resource }: ErrorPlace): string {
  return renderDocument(
    "Error",
    {
      Code: error.code,
      Message: error.message,
      ...error.options.fields,
      Resource: resource,
      RequestId: requestId,
      HostId: hostId,
    },
    false,
  );
}

export interface ErrorPlace {
  readonly requestId: string;
  readonly hostId: string;
  readonly resource: string;
}

export function placeOfError(
  exchange: Pick<Exchange, "requestId" | "target"> | undefined,
  requestId: string,
): ErrorPlace {
  return { requestId, hostId: hostIdOf(requestId), resource: exchange?.target.path ?? "/" };
}

/** `x-amz-id-2`: clients show it beside the request's id. */
export function hostIdOf(requestId: string): string {
  return Buffer.from(requestId).toString("base64");
}
