import { statusOf } from "#http/index.ts";
import type { Problem, ProblemCode } from "#kernel/problem.ts";
import { bytesField, statusMessage, varintField } from "../wire/otlp/responses.ts";

/** Codes of `google.rpc.Code` (gRPC, "Status codes and their use in gRPC"). */
export const GRPC = {
  ok: 0,
  unknown: 2,
  invalidArgument: 3,
  deadlineExceeded: 4,
  notFound: 5,
  permissionDenied: 7,
  resourceExhausted: 8,
  failedPrecondition: 9,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
  unauthenticated: 16,
} as const;

/** Codes that differ from the code of the HTTP status. Senders repeat 4, 8 with a delay, and 14; 3 and 13 are final. */
const BY_PROBLEM: Partial<Readonly<Record<ProblemCode, number>>> = {
  invalid_request: GRPC.internal, // The framing is wrong (gRPC, "Status codes", INTERNAL).
  body_too_large: GRPC.invalidArgument, // Some senders repeat 8 even without a delay, and this body never fits.
  unsupported_media_type: GRPC.unimplemented,
  method_not_allowed: GRPC.unimplemented,
};

const BY_STATUS: Readonly<Record<number, number>> = {
  400: GRPC.invalidArgument,
  401: GRPC.unauthenticated,
  403: GRPC.permissionDenied,
  404: GRPC.notFound,
  408: GRPC.deadlineExceeded,
  409: GRPC.failedPrecondition,
  429: GRPC.resourceExhausted,
  500: GRPC.internal,
  503: GRPC.unavailable,
};

export function grpcCodeOf(problem: Pick<Problem, "code">): number {
  return BY_PROBLEM[problem.code] ?? BY_STATUS[statusOf(problem)] ?? GRPC.unknown;
}

/**
 * Returns the fields of a failed call. RESOURCE_EXHAUSTED always has a delay: without it, senders differ on whether
 * they may repeat the call (OTLP specification, "OTLP/gRPC Throttling").
 */
export function failureFields(
  problem: Pick<Problem, "code" | "message">,
  { retryAfterS, isUnrouted }: { readonly retryAfterS: number; readonly isUnrouted: boolean },
): Record<string, string> {
  const code = isUnrouted && problem.code === "not_found" ? GRPC.unimplemented : grpcCodeOf(problem);
  const fields = { "grpc-status": String(code), "grpc-message": percentEncoded(problem.message) };
  const more = code === GRPC.unimplemented ? { "grpc-accept-encoding": ACCEPTED_ENCODINGS } : {};
  if (code !== GRPC.resourceExhausted) return { ...fields, ...more };
  const details = Buffer.concat([
    statusMessage("protobuf", code, problem.message),
    bytesField(3, retryInfo(retryAfterS)),
  ]);
  // Without padding, as gRPC asks of senders ("Binary-Header").
  return { ...fields, "grpc-status-details-bin": details.toString("base64").replace(/=+$/, "") };
}

export const ACCEPTED_ENCODINGS = "identity,gzip,deflate,zstd";

/** `google.protobuf.Any` with `google.rpc.RetryInfo` {1: `Duration` {1: seconds}}. */
function retryInfo(seconds: number): Buffer {
  const delay = bytesField(1, varintField(1, seconds));
  return Buffer.concat([bytesField(1, Buffer.from("type.googleapis.com/google.rpc.RetryInfo")), bytesField(2, delay)]);
}

/** gRPC over HTTP2, "Percent-Encoded": all bytes except printable ASCII, and the percent sign. */
export function percentEncoded(text: string): string {
  return [...Buffer.from(text)]
    .map((byte) =>
      byte >= 0x20 && byte <= 0x7e && byte !== 0x25
        ? String.fromCharCode(byte)
        : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`,
    )
    .join("");
}
