import { S3Error, type S3ErrorCode } from "#domain/s3/index.ts";
import { fieldsOf, logFailure, statusOf, type ProtocolAnswer } from "#http/index.ts";
import { Problem, type ProblemCode } from "#kernel/problem.ts";
import { DigestMismatch, SizeMismatch, TooLarge } from "#stores/objects/index.ts";
import { fieldsOfS3, S3Refusal, statusOfS3 } from "./wire/refusal.ts";
import type { Reply, Request } from "./wire/request.ts";
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
  // In S3 only buckets have such a limit.
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

/** Converts any error to an S3 error. An unknown error is a bug and becomes an internal error. */
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

/** Returns the fields that identify a request. Clients show `x-amz-id-2` beside the request id. */
export function idFields(requestId: string): Record<string, string> {
  return { "x-amz-request-id": requestId, "x-amz-id-2": hostIdOf(requestId), "request-id": requestId };
}

function hostIdOf(requestId: string): string {
  return Buffer.from(requestId).toString("base64");
}

/** Answers with the XML document of an error. Its ids find the error in the log. */
export function sendError(request: Request, reply: Reply, cause: unknown, resource = "/"): Reply {
  request.operation ??= "s3 unknown";
  logBug(request, cause);
  const error = s3ErrorOf(cause);
  const status = statusOfS3(error);
  request.refusal = refusalOf(error, cause);
  void reply.code(status).headers({ ...idFields(request.id), ...fieldsOfS3(error) });
  if (request.method === "HEAD" || status === 304) return reply.send();
  void reply.header("content-type", "application/xml");
  return sendBytes(reply, errorDocument(error, request.id, resource));
}

/** Returns the refusal for the record of refused requests: in the words of S3, with the facts of a problem. */
function refusalOf({ code, message, options }: S3Error, cause: unknown): Request["refusal"] {
  const own = cause instanceof Problem ? cause.options : {};
  return { code, detail: message, options: { ...own, ...options } };
}

/** Removes the fields of an answer that could not be sent. */
export function clearHead(reply: Reply): void {
  for (const name of Object.keys(reply.getHeaders())) void reply.removeHeader(name);
}

export function logBug(request: Request, cause: unknown): void {
  const error = s3ErrorOf(cause);
  if (error.code === "InternalError") logFailure(request, error.options.cause ?? error);
}

/** Sends bytes. For a string, Node would encode the header fields as UTF-8 too, but they are Latin-1. */
export function sendBytes(reply: Reply, body: string | undefined): Reply {
  if (body === undefined) return reply.send();
  const bytes = Buffer.from(body);
  void reply.header("content-length", String(bytes.length));
  return reply.send(reply.request.method === "HEAD" ? undefined : bytes);
}

/** Renders the error for bytes that are not an HTTP request, or for a header that is too large. */
export function renderError({ code }: Problem, resource: string, requestId: string): ProtocolAnswer {
  const error = new S3Error(PROTOCOL_CODES[code] ?? "BadRequest");
  const body = errorDocument(error, requestId, resource);
  return { status: statusOfS3(error), headers: { "content-type": "application/xml" }, body };
}

const PROTOCOL_CODES: Readonly<Partial<Record<ProblemCode, S3ErrorCode>>> = {
  header_too_large: "RequestHeaderSectionTooLarge",
  request_timeout: "RequestTimeout",
};

function errorDocument(error: S3Error, requestId: string, resource: string): string {
  const place = { Resource: resource, RequestId: requestId, HostId: hostIdOf(requestId) };
  return renderDocument(
    "Error",
    { Code: error.code, Message: error.message, ...error.options.fields, ...place },
    false,
  );
}
