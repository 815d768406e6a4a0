import assert from "node:assert/strict";
import { test } from "node:test";
import { AGENTS } from "@mooring/contract/agents";
import { agentsFor, firstAgentFor, refusalOf, serviceOf } from "./agent-choice.ts";

const NOWHERE = {
  ingest_url: "https://in.example.com",
  otlp_grpc_url: null,
  syslog_tcp_address: null,
  syslog_tls_address: null,
  syslog_udp_address: null,
};
const FREE = { origins: null, resources: null };
const OF_PAGES = { origins: ["https://app.example.com"], resources: null };

test("agents are listed only if the server listens for their protocol", () => {
  const ids = agentsFor(NOWHERE).map(({ id }) => id);
  assert.ok(ids.includes("promtail") && !ids.includes("otel-grpc") && !ids.includes("rsyslog"));
  const withSyslog = agentsFor({ ...NOWHERE, syslog_tcp_address: "in.example.com:514" }).map(({ id }) => id);
  assert.ok(withSyslog.includes("rsyslog") && !withSyslog.includes("rsyslog-tls"));
});

test("a key for pages begins with the agent for pages, and warns about the others", () => {
  const refusals = (key: typeof FREE | typeof OF_PAGES): string[] =>
    AGENTS.filter((agent) => refusalOf(key, agent) !== null).map(({ id }) => id);
  assert.deepEqual([firstAgentFor(FREE), firstAgentFor(OF_PAGES)], ["otel-http", "otel-web"]);
  assert.deepEqual(refusals(FREE), ["otel-web"]);
  assert.deepEqual(
    refusals(OF_PAGES),
    AGENTS.map(({ id }) => id).filter((id) => id !== "otel-web"),
  );
});

test("the service is the first one that the key may send", () => {
  assert.equal(serviceOf({ ...FREE, resources: { services: ["cart.v2", "checkout"] } }), "cart.v2");
  for (const resources of [null, {}, { services: [] }]) assert.equal(serviceOf({ ...FREE, resources }), "my-service");
});
