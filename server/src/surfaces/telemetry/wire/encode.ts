import { sha256Hex } from "#kernel/digest.ts";
import type { TelemetryType } from "#stores/telemetry/index.ts";
import { encodeEntries } from "./entries.ts";
import type { EncodedEntries, EncodeOptions } from "./entry.ts";
import { encodeLines } from "./lines.ts";
import { encodeOtlp, type OtlpOptions } from "./otlp/encode.ts";

export interface EncodeBodyOptions extends EncodeOptions {
  /** The body is lines of JSON, one entry in each, instead of one object. */
  readonly lines?: boolean;
  /** Set when the body is an OTLP export request, which is always handled leniently. */
  readonly otlp?: OtlpOptions;
  /** Whether to compute the digest of the body. */
  readonly hashed?: boolean;
}

export interface EncodedBody extends EncodedEntries {
  /** SHA-256 of the decompressed body. */
  readonly bodyHash?: string;
  /** CRC-32 of the rows, if a worker thread has computed it. */
  readonly rowsCrc?: number;
}

/**
 * Encodes a request's body to rows, in any form that telemetry has.
 * @throws Problem `invalid_body`, `body_too_large`
 */
export function encodeBody(type: TelemetryType, body: Buffer, options: EncodeBodyOptions): EncodedBody {
  const encoded = entriesOf(type, body, options);
  return options.hashed === true ? { ...encoded, bodyHash: sha256Hex(body) } : encoded;
}

function entriesOf(type: TelemetryType, body: Buffer, options: EncodeBodyOptions): EncodedEntries {
  const { otlp, projectId, notBefore, services } = options;
  if (otlp !== undefined) return encodeOtlp(type, body, { ...otlp, projectId, notBefore, services });
  return options.lines === true ? encodeLines(type, body, options) : encodeEntries(type, body, options);
}
