import { INGEST_BODY_BYTES_MAX, PROTOCOL_BODY_BYTES_MAX } from "#kernel/limits.ts";
import type { Rule, RuleCounts } from "#domain/ingest-rules/index.ts";
import { sha256Hex } from "#kernel/digest.ts";
import type { TelemetryType } from "#stores/telemetry/index.ts";
import { encodeProtocol, type ProtocolOptions } from "../protocols/parse.ts";
import type { Report } from "../protocols/parser.ts";
import { applyRules } from "../rules/apply.ts";
import { encodeEntries } from "./entries.ts";
import type { EncodedEntries, EncodeOptions } from "./entry.ts";
import { encodeLines } from "./lines.ts";
import { encodeOtlp, type OtlpOptions } from "./otlp/encode.ts";

export interface EncodeBodyOptions extends EncodeOptions {
  /** The body is lines of JSON, one entry in each, instead of one object. */
  readonly lines?: boolean;
  /** Set when the body is an OTLP export request, which is always handled leniently. */
  readonly otlp?: OtlpOptions;
  /** Set when the body is a request of another protocol, which is always handled leniently. */
  readonly protocol?: ProtocolOptions;
  /** Rules for the rows of this request. */
  readonly rules?: readonly Rule[] | undefined;
  /** Whether to compute the digest of the body. */
  readonly hashed?: boolean;
}

export interface EncodedBody extends EncodedEntries {
  /** SHA-256 of the decompressed body. */
  readonly bodyHash?: string;
  /** CRC-32 of the rows, if a worker thread has computed it. */
  readonly rowsCrc?: number;
  /** Whether every entry has its own time, so that an equal body is the same entries. For OTLP and other protocols. */
  readonly isTimed?: boolean;
  /** Projects that the body names, but the options do not have. For OTLP. */
  readonly unknownProjects?: readonly string[];
  /** The rows that rules removed; not in `count`. Their sender gets the usual answer. */
  readonly removed?: number;
  /** What the rules did, by their ids. */
  readonly ruleCounts?: Readonly<Record<string, RuleCounts>>;
  /** The parser's figures for the protocol's answer. */
  readonly report?: Report;
}

/**
 * Encodes a request's body to rows, in any form that telemetry has.
 * @throws Problem `invalid_body`, `body_too_large`
 */
export function encodeBody(type: TelemetryType, body: Buffer, options: EncodeBodyOptions): EncodedBody {
  const sent = entriesOf(type, body, options);
  const encoded = options.rules === undefined ? sent : { ...sent, ...applyRules(type, sent, options.rules) };
  return options.hashed === true ? { ...encoded, bodyHash: sha256Hex(body) } : encoded;
}

/** Returns the most bytes of a body after decompression. */
export function bodyBytesMax({ protocol }: EncodeBodyOptions): number {
  return protocol === undefined ? INGEST_BODY_BYTES_MAX : PROTOCOL_BODY_BYTES_MAX;
}

function entriesOf(type: TelemetryType, body: Buffer, options: EncodeBodyOptions): EncodedBody {
  const { otlp, protocol, projectId, times, services } = options;
  const limits = { projectId, times, services };
  if (otlp !== undefined) return encodeOtlp(type, body, { ...otlp, ...limits });
  if (protocol !== undefined) return encodeProtocol(type, body, { ...protocol, ...limits });
  return options.lines === true ? encodeLines(type, body, options) : encodeEntries(type, body, options);
}
