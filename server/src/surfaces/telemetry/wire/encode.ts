import { sha256Hex } from "#kernel/digest.ts";
import type { TelemetryType } from "#stores/telemetry/index.ts";
import { encodeEntries } from "./entries.ts";
import type { EncodedEntries, EncodeOptions } from "./entry.ts";
import { encodeLines } from "./lines.ts";
import { encodeOtlp, type OtlpOptions } from "./otlp/encode.ts";

export interface EncodeBodyOptions extends EncodeOptions {
  /** The body is lines of JSON, an entry each, instead of one object. */
  readonly lines?: boolean;
  /** Present when the body is an OTLP export request, which is always taken leniently. */
  readonly otlp?: OtlpOptions;
  /** Whether the digest of the body is wanted, too. */
  readonly hashed?: boolean;
}

export interface EncodedBody extends EncodedEntries {
  /** SHA-256 of the body without its coding. */
  readonly bodyHash?: string;
  /** CRC-32 of the rows, from where it costs the event loop nothing. */
  readonly rowsCrc?: number;
}

/** The rows of a request's body, in any of the forms that telemetry comes in. @throws Problem `invalid_body`, `body_too_large` */
export function encodeBody(type: TelemetryType, body: Buffer, options: EncodeBodyOptions): EncodedBody {
  const encoded = entriesOf(type, body, options);
  return options.hashed === true ? { ...encoded, bodyHash: sha256Hex(body) } : encoded;
}

function entriesOf(type: TelemetryType, body: Buffer, options: EncodeBodyOptions): EncodedEntries {
  const { otlp, projectId, notBefore } = options;
  if (otlp !== undefined) return encodeOtlp(type, body, { ...otlp, projectId, notBefore });
  return options.lines === true ? encodeLines(type, body, options) : encodeEntries(type, body, options);
}
