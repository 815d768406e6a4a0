import type { Problem } from "#kernel/problem.ts";
import type { TelemetryType } from "#stores/telemetry/index.ts";
import type { Coding } from "../wire/coding.ts";
import type { EncodedBody } from "../wire/encode.ts";
import type { ParserName } from "./parse.ts";
import type { ParserSettings } from "./parser.ts";

/** A protocol that senders of telemetry speak. The pipeline does everything that the protocols have in common. */
export interface Protocol {
  readonly name: string;
  readonly type: TelemetryType;
  readonly writes: readonly ProtocolRoute[];
  /** Requests that senders make before they send, with answers that need no telemetry. */
  readonly handshakes?: readonly Handshake[];
  /**
   * Chooses the parser by the head of a request.
   * @throws Problem `unsupported_media_type`, `invalid_parameter`
   */
  readonly choose: (request: RequestHead) => Choice;
  /** Renders the answer after all rows are flushed to disk. */
  readonly answer: (encoded: EncodedBody) => ProtocolAnswer;
  /** Renders a refusal. Absent: in the form of the JSON API. */
  readonly refuse?: (problem: Problem, status: number) => ProtocolAnswer;
  /** The status of refusals that the protocol's senders need instead of the usual one. */
  readonly statuses?: Readonly<Partial<Record<Problem["code"], number>>>;
  /** Whether the sender takes every answer as final. Then the server breaks the connection instead of answering "later". */
  readonly ignoresAnswers?: (request: RequestHead) => boolean;
}

type Method = "GET" | "HEAD" | "POST" | "PUT" | "OPTIONS" | "DELETE";

/** The head of a request. Parameters and fields that are sent twice are lists. */
export interface RequestHead {
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly query: Readonly<Record<string, string | string[] | undefined>>;
  readonly params: Readonly<Record<string, string | undefined>>;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
}

export interface ProtocolRoute {
  readonly method: Method | Method[];
  readonly url: string;
  readonly operationId: string;
}

export interface Handshake extends ProtocolRoute {
  /** Whether the sender needs no key. */
  readonly isPublic?: boolean;
  readonly answer: (head: RequestHead, body: Buffer) => ProtocolAnswer;
}

export interface Choice {
  readonly parser: ParserName;
  readonly coding: Coding | undefined;
  readonly settings: ParserSettings;
}

export interface ProtocolAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Returns a plain text answer, the form of most protocols. */
export function textAnswer(status: number, text: string): ProtocolAnswer {
  return { status, headers: { "content-type": "text/plain; charset=utf-8" }, body: `${text}\n` };
}

export function jsonAnswer(status: number, value: object): ProtocolAnswer {
  return { status, headers: { "content-type": "application/json" }, body: JSON.stringify(value) };
}

/** Returns a parameter that was sent once. */
export function valueOf(query: RequestHead["query"], name: string): string | undefined {
  const value = query[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}
