import type { Problem } from "#kernel/problem.ts";
import { codingOf } from "../../wire/coding.ts";
import type { EncodedBody } from "../../wire/encode.ts";
import {
  jsonAnswer,
  valueOf,
  type Handshake,
  type Protocol,
  type ProtocolAnswer,
  type RequestHead,
} from "../protocol.ts";
import type { SplunkReport } from "./parse.ts";

const COLLECTOR = "/splunk/services/collector";
const EVENTS = [COLLECTOR, `${COLLECTOR}/event`, `${COLLECTOR}/event/1.0`];
const RAW = [`${COLLECTOR}/raw`, `${COLLECTOR}/raw/1.0`];

/** Splunk's codes by the status of a refusal. 404: the named project; 7 is "Incorrect index". */
const CODES: Readonly<Record<number, number>> = {
  400: 6,
  401: 2,
  403: 4,
  404: 7,
  413: 6,
  415: 6,
  429: 9,
  500: 8,
  503: 9,
};

const HANDSHAKES: readonly Handshake[] = [
  ...[`${COLLECTOR}/health`, `${COLLECTOR}/health/1.0`].map((url): Handshake => ({
    method: "GET",
    url,
    operationId: "splunkHealth",
    isPublic: true,
    answer: () => jsonAnswer(200, { text: "HEC is healthy", code: 17 }),
  })),
  // Docker's driver asks so whether the address is right, before it sends.
  ...[...EVENTS, ...RAW].map((url): Handshake => ({
    method: "OPTIONS",
    url,
    operationId: "splunkOptions",
    isPublic: true,
    answer: () => ({ status: 200, headers: { allow: "POST, OPTIONS" }, body: "" }),
  })),
  { method: "POST", url: `${COLLECTOR}/ack`, operationId: "splunkAck", answer: acknowledge },
];

/** Splunk's HTTP Event Collector (docs.splunk.com, "HTTP Event Collector REST API endpoints"). */
export const SPLUNK: Protocol = {
  name: "splunk",
  type: "logs",
  writes: [
    ...EVENTS.map((url) => ({ method: "POST" as const, url, operationId: "splunkEvent" })),
    ...RAW.map((url) => ({ method: "POST" as const, url, operationId: "splunkRaw" })),
  ],
  handshakes: HANDSHAKES,
  choose: ({ headers, query, path }) => {
    const coding = codingOf(headers["content-encoding"]);
    if (EVENTS.includes(path)) return { parser: "splunkEvents", coding, settings: {} };
    const names = ["host", "source", "sourcetype", "index"];
    const sent = names.flatMap((name) =>
      valueOf(query, name) === undefined ? [] : [[name, valueOf(query, name)] as const],
    );
    return { parser: "splunkRaw", coding, settings: Object.fromEntries(sent) as Record<string, string> };
  },
  answer,
  refuse: (problem, status) => jsonAnswer(status, { text: problem.message, code: codeOf(problem, status) }),
  statuses: { rate_limited: 503 },
};

function answer({ report }: EncodedBody): ProtocolAnswer {
  const { code, text, event } = report as SplunkReport;
  if (code === 0) return jsonAnswer(200, { text, code });
  return jsonAnswer(400, { text, code, ...(event === undefined ? {} : { "invalid-event-number": event }) });
}

/** 3: the field is not valid. 4: the token is not. */
function codeOf({ code }: Problem, status: number): number {
  return code === "invalid_token" ? 4 : (CODES[status] ?? 6);
}

/** Everything is on disk before the answer to it, so each identifier is acknowledged. */
function acknowledge(_head: RequestHead, body: Buffer): ProtocolAnswer {
  const ids = /"acks"\s*:\s*\[([\d\s,]*)\]/.exec(body.toString("latin1"))?.[1]?.match(/\d+/g) ?? [];
  return jsonAnswer(200, { acks: Object.fromEntries(ids.map((id) => [id, true])) });
}
