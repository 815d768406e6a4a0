import type { RecordRows } from "../wire/records.ts";

/** Plain data, which a thread can send. */
export type Report = Readonly<Record<string, unknown>>;

/** The values of the request's head that a parser needs, for example the index in the path. */
export type ParserSettings = Readonly<Record<string, string>>;

export interface ParseContext {
  readonly out: RecordRows;
  /** When the request arrived, in milliseconds since the epoch. */
  readonly receivedMs: number;
  readonly settings: ParserSettings;
}

/**
 * Reads a body and adds its records to `out`. Returns the figures for the protocol's answer.
 * @throws Problem `invalid_body`, `body_too_large`
 */
export type Parser = (body: Buffer, context: ParseContext) => Report;
