import type { TelemetryType } from "#stores/telemetry/index.ts";
import { RecordRows, type EncodedRecords, type RecordRowsOptions } from "../wire/records.ts";
import type { Parser, ParserSettings, Report } from "./parser.ts";
import { parseBulk, parseDocument } from "./elasticsearch/parse.ts";
import { parseLokiJson, parseLokiProtobuf } from "./loki/parse.ts";
import { parseRaw } from "./raw/parse.ts";
import { parseSplunkEvents, parseSplunkRaw } from "./splunk/parse.ts";
import { parsePrometheus1, parsePrometheus2 } from "./prometheus/parse.ts";

const PARSERS = {
  prometheus1: parsePrometheus1,
  prometheus2: parsePrometheus2,
  lokiJson: parseLokiJson,
  lokiProtobuf: parseLokiProtobuf,
  elasticsearchBulk: parseBulk,
  elasticsearchDocument: parseDocument,
  splunkEvents: parseSplunkEvents,
  splunkRaw: parseSplunkRaw,
  raw: parseRaw,
} as const satisfies Record<string, Parser>;

export type ParserName = keyof typeof PARSERS;

export interface ProtocolOptions {
  readonly parser: ParserName;
  readonly receivedMs: number;
  readonly settings: ParserSettings;
}

/** Encodes a request of a protocol to rows. @throws Problem `invalid_body`, `body_too_large` */
export function encodeProtocol(
  type: TelemetryType,
  body: Buffer,
  { parser, receivedMs, settings, ...options }: ProtocolOptions & Omit<RecordRowsOptions, "type">,
): EncodedRecords & { readonly report: Report } {
  const out = new RecordRows({ type, ...options });
  const report = PARSERS[parser](body, { out, receivedMs, settings });
  return { ...out.encoded(), report };
}
