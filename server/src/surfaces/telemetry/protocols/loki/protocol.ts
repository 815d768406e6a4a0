import { Problem } from "#kernel/problem.ts";
import { codingOf } from "../../wire/coding.ts";
import type { EncodedBody } from "../../wire/encode.ts";
import { mediaTypeOf } from "../../wire/media-types.ts";
import {
  jsonAnswer,
  textAnswer,
  type Choice,
  type Handshake,
  type Protocol,
  type ProtocolAnswer,
  type RequestHead,
} from "../protocol.ts";
import type { LokiReport } from "./parse.ts";

/** The version that Grafana and others read to know the features of a server. */
const VERSION = "3.0.0";

const HANDSHAKES: readonly Handshake[] = [
  { method: "GET", url: "/ready", operationId: "lokiReady", answer: () => textAnswer(200, "ready") },
  {
    method: "GET",
    url: "/loki/api/v1/status/buildinfo",
    operationId: "lokiBuildInfo",
    answer: () =>
      jsonAnswer(200, { version: VERSION, revision: "", branch: "", buildUser: "", buildDate: "", goVersion: "" }),
  },
];

/** Loki's push (grafana.com, "Loki HTTP API", "Ingest logs"). Agents retry 429 and 5xx, and drop after other statuses. */
export const LOKI: Protocol = {
  name: "loki",
  type: "logs",
  writes: ["/loki/api/v1/push", "/api/prom/push"].map((url) => ({ method: "POST", url, operationId: "lokiPush" })),
  handshakes: HANDSHAKES,
  choose,
  answer,
  refuse: (problem, status) => textAnswer(status, problem.message),
  statuses: { rate_limited: 503 },
};

/** Protobuf is always a block of snappy, and no field says so (grafana/loki, pkg/loghttp/push). */
function choose({ headers }: RequestHead): Choice {
  const mediaType = mediaTypeOf(headers["content-type"]);
  const coding = codingOf(headers["content-encoding"], ["snappy"]);
  if (mediaType === "application/json") return { parser: "lokiJson", coding, settings: {} };
  if (mediaType === "application/x-protobuf") return { parser: "lokiProtobuf", coding: "snappy", settings: {} };
  throw new Problem("unsupported_media_type", "Send the body as application/json or application/x-protobuf.");
}

/** As Loki does, the answer names the first bad entry, and the good ones are stored. */
function answer({ report }: EncodedBody): ProtocolAnswer {
  const { refused, fault } = report as LokiReport;
  if (refused === 0) return { status: 204, headers: {}, body: "" };
  return textAnswer(400, `${refused} entries were refused, the others are stored; ${fault}`);
}
