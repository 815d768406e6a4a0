import type { TelemetryType } from "#stores/telemetry/index.ts";
import type { EncodedRecords } from "../records.ts";
import type { OtlpFormat } from "./encode.ts";

export const MEDIA_TYPES: Readonly<Record<OtlpFormat, string>> = {
  json: "application/json",
  protobuf: "application/x-protobuf",
};

const REJECTED: Readonly<Record<TelemetryType, { readonly member: string; readonly noun: string }>> = {
  logs: { member: "rejectedLogRecords", noun: "log records" },
  metrics: { member: "rejectedDataPoints", noun: "data points" },
  traces: { member: "rejectedSpans", noun: "spans" },
};

/** The most faults that a message names, so that it stays readable in the sender's log. */
const PLACES_MAX = 3;

/**
 * Renders `Export…ServiceResponse`: empty when everything was stored (OTLP specification, "Full Success", "Partial
 * Success").
 */
export function exportResponse(
  type: TelemetryType,
  format: OtlpFormat,
  encoded: Omit<EncodedRecords, "isTimed">,
): Buffer {
  const { rejected, errors, cut } = encoded;
  if (rejected === 0 && cut === undefined) return format === "json" ? Buffer.from("{}") : Buffer.alloc(0);
  const { member, noun } = REJECTED[type];
  const parts: string[] = [];
  if (rejected > 0) parts.push(`${rejected} ${noun} were refused, the others stored; ${placesOf(errors)}`);
  // If nothing is refused, the message is a warning (OTLP specification, "Partial Success").
  if (cut !== undefined) parts.push(`${cut.entries} ${noun} were cut; ${placesOf(cut.places)}`);
  const errorMessage = parts.join("; ");
  if (format === "json") {
    // Protobuf's JSON writes a 64-bit number as a string.
    return Buffer.from(JSON.stringify({ partialSuccess: { [member]: String(rejected), errorMessage } }));
  }
  return bytesField(1, Buffer.concat([varintField(1, rejected), bytesField(2, Buffer.from(errorMessage))]));
}

/** Renders `google.rpc.Status` without details. */
export function statusMessage(format: OtlpFormat, code: number, message: string): Buffer {
  if (format === "json") return Buffer.from(JSON.stringify({ code, message }));
  return Buffer.concat([varintField(1, code), bytesField(2, Buffer.from(message))]);
}

/** Codes of `google.rpc.Code` by status. Others become UNKNOWN. */
const RPC_CODES: Readonly<Record<number, number>> = {
  400: 3,
  401: 16,
  403: 7,
  404: 5,
  408: 4,
  409: 9,
  413: 8,
  415: 3,
  429: 8,
  500: 13,
  503: 14,
};

export function rpcCodeOf(status: number): number {
  return RPC_CODES[status] ?? 2;
}

function placesOf(errors: EncodedRecords["errors"]): string {
  const first = errors.slice(0, PLACES_MAX).map(({ pointer, detail }) => {
    const [, index, member] = /^\/entries\/(\d+)(.*)$/s.exec(pointer) ?? [];
    return `record ${index}${member === "" ? "" : ` ${member}`} ${detail}`;
  });
  return first.join("; ");
}

export function varintField(number: number, value: number): Buffer {
  return Buffer.from([number * 8, ...varint(value)]);
}

export function bytesField(number: number, bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from([number * 8 + 2, ...varint(bytes.length)]), bytes]);
}

function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) + 0x80);
    rest = Math.floor(rest / 0x80);
  }
  return [...bytes, rest];
}
