import { S3Error } from "#domain/s3/index.ts";
import { chunkSigner, type StreamingContext } from "./chunk-signatures.ts";
import type { ChunkSigner } from "../wire/aws-chunked.ts";

export const UNSIGNED_PAYLOAD = "UNSIGNED-PAYLOAD";

/** The kind of payload that `x-amz-content-sha256` names. It alone decides how the body is read. */
export type Payload =
  | { readonly kind: "plain"; readonly sha256: string | null }
  | { readonly kind: "chunked"; readonly signer: ChunkSigner | null; readonly hasTrailers: boolean };

/**
 * @param context null if the request is not signed by Signature V4; then its chunks can't be signed
 * @throws S3Error `InvalidArgument`, `NotImplemented`
 */
export function payloadOf(value: string | undefined, context: StreamingContext | null): Payload {
  switch (value) {
    case undefined:
    case UNSIGNED_PAYLOAD:
      return { kind: "plain", sha256: null };
    case "STREAMING-UNSIGNED-PAYLOAD-TRAILER":
      return { kind: "chunked", signer: null, hasTrailers: true };
    case "STREAMING-AWS4-HMAC-SHA256-PAYLOAD":
    case "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER":
      if (context === null)
        throw new S3Error("InvalidRequest", `${value} is only possible in a request that is signed in its header.`);
      return { kind: "chunked", signer: chunkSigner(context), hasTrailers: value.endsWith("-TRAILER") };
    default:
      if (/^[0-9a-f]{64}$/.test(value)) return { kind: "plain", sha256: value };
      if (value.startsWith("STREAMING-AWS4-ECDSA-"))
        throw new S3Error("NotImplemented", `${value} is not implemented.`);
      throw new S3Error(
        "InvalidArgument",
        "x-amz-content-sha256 must be UNSIGNED-PAYLOAD, a value that begins with STREAMING-, or a SHA-256 in lower-case hexadecimal.",
        { fields: { ArgumentName: "x-amz-content-sha256", ArgumentValue: value.slice(0, 200) } },
      );
  }
}
