import type { Problem } from "#kernel/problem.ts";
import { codingOf } from "../../wire/coding.ts";
import type { EncodedBody } from "../../wire/encode.ts";
import type { ParserName } from "../parse.ts";
import { jsonAnswer, type Choice, type Protocol, type ProtocolAnswer, type RequestHead } from "../protocol.ts";
import { errorOf, type ElasticsearchReport } from "./answers.ts";
import { handshakeOf } from "./handshakes.ts";

/** Without this field on each answer, the clients of Elastic take the server for another product, and throw. */
const PRODUCT = { "x-elastic-product": "Elasticsearch" };

const TYPES: Readonly<Record<number, string>> = {
  401: "security_exception",
  403: "security_exception",
  404: "resource_not_found_exception",
  413: "content_too_long_exception",
  415: "media_type_header_exception",
  429: "es_rejected_execution_exception",
  500: "exception",
  503: "es_rejected_execution_exception",
};

/**
 * Elasticsearch's bulk requests (elastic.co, "Bulk API"), and what agents ask before. Clients send a request with 429
 * or 503 again, and an item with 429.
 */
export const ELASTICSEARCH: Protocol = {
  name: "elasticsearch",
  type: "logs",
  writes: [
    { method: ["POST", "PUT"], url: "/elasticsearch/_bulk", operationId: "elasticsearchBulk" },
    { method: ["POST", "PUT"], url: "/elasticsearch/:index/_bulk", operationId: "elasticsearchBulk" },
    { method: "POST", url: "/elasticsearch/:index/_doc", operationId: "elasticsearchIndex" },
  ],
  handshakes: ["/elasticsearch", "/elasticsearch/*"].map((url) => ({
    method: ["GET", "PUT", "POST"],
    url,
    operationId: "elasticsearchHandshake",
    answer: (head) => withProduct(jsonAnswer(200, handshakeOf(head))),
  })),
  choose,
  answer,
  refuse,
  statuses: { rate_limited: 503 },
  // Only rsyslog's omelasticsearch names no program. It drops a batch that gets an answer, and keeps it without one.
  ignoresAnswers: ({ headers }) => headers["user-agent"] === undefined,
};

function choose({ headers, params, path }: RequestHead): Choice {
  const parser: ParserName = path.endsWith("/_doc") ? "elasticsearchDocument" : "elasticsearchBulk";
  return { parser, coding: codingOf(headers["content-encoding"]), settings: { index: params["index"] ?? "" } };
}

function answer({ report }: EncodedBody): ProtocolAnswer {
  const { status, body } = report as ElasticsearchReport;
  return withProduct({ ...jsonAnswer(status, {}), body });
}

function refuse(problem: Problem, status: number): ProtocolAnswer {
  return withProduct(
    jsonAnswer(status, errorOf(status, TYPES[status] ?? "illegal_argument_exception", problem.message)),
  );
}

function withProduct(answer: ProtocolAnswer): ProtocolAnswer {
  return { ...answer, headers: { ...answer.headers, ...PRODUCT } };
}
