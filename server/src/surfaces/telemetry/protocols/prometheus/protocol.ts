import { Problem } from "#kernel/problem.ts";
import { codingOf } from "../../wire/coding.ts";
import type { EncodedBody } from "../../wire/encode.ts";
import { mediaTypeOf } from "../../wire/media-types.ts";
import { textAnswer, type Choice, type Protocol, type ProtocolAnswer, type RequestHead } from "../protocol.ts";
import type { PrometheusReport } from "./parse.ts";

const MEDIA_TYPE = "application/x-protobuf";
const PARSERS = { "prometheus.WriteRequest": "prometheus1", "io.prometheus.write.v2.Request": "prometheus2" } as const;

/**
 * Prometheus remote write 1.0 and 2.0 (prometheus.io, "Remote Write 1.0 specification" and "Remote Write 2.0
 * specification"). A sender retries 5xx for ever, and drops the samples after 4xx, by default also after 429. So no
 * refusal that passes is 429.
 */
export const PROMETHEUS: Protocol = {
  name: "prometheus",
  type: "metrics",
  writes: ["/prometheus/api/v1/write", "/api/v1/write", "/api/v1/push"].map((url) => ({
    method: "POST",
    url,
    operationId: "prometheusWrite",
  })),
  choose,
  answer,
  refuse: (problem, status) => textAnswer(status, problem.message),
  statuses: { rate_limited: 503, quota_exceeded: 503 },
};

/** The kind is in the type: a message of 2.0 that is read as 1.0 is an empty message. */
function choose(request: RequestHead): Choice {
  const field = request.headers["content-type"];
  const kind = /;\s*proto\s*=\s*"?([^\s;"]+)/i.exec(field ?? "")?.[1] ?? "prometheus.WriteRequest";
  if (mediaTypeOf(field) !== MEDIA_TYPE || !(kind in PARSERS)) {
    const kinds = Object.keys(PARSERS).join(" or ");
    throw new Problem("unsupported_media_type", `Send the body as ${MEDIA_TYPE}, with proto=${kinds}.`);
  }
  const coding = codingOf(request.headers["content-encoding"], ["snappy"]);
  return { parser: PARSERS[kind as keyof typeof PARSERS], coding: coding ?? "snappy", settings: {} };
}

/** The counts are due on 400, too. Without them, a sender of 2.0 takes 2xx as a failure. */
function answer({ report }: EncodedBody): ProtocolAnswer {
  const { samples, histograms, fault } = (report as PrometheusReport).written;
  const { status, headers, body } =
    fault === null ? { status: 204, headers: {}, body: "" } : textAnswer(400, `${fault}; the other samples are stored`);
  return {
    status,
    body,
    headers: {
      ...headers,
      "x-prometheus-remote-write-samples-written": String(samples),
      "x-prometheus-remote-write-histograms-written": String(histograms),
      "x-prometheus-remote-write-exemplars-written": "0",
    },
  };
}
