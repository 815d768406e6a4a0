import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { documentsOf, missingYaml } from "../../../tests/fixtures/yaml.ts";
import { AGENTS, canConnect, fillIn, type Agent, type AgentAddresses } from "./index.ts";

const NOWHERE = { otlp_grpc_url: null, syslog_tcp_address: null, syslog_tls_address: null, syslog_udp_address: null };
const ADDRESSES: AgentAddresses = {
  ingest_url: "https://in.example.com/base",
  otlp_grpc_url: "https://grpc.example.com:4317",
  syslog_tcp_address: "tcp.example.com:514",
  syslog_tls_address: "[2001:db8::1]:6514",
  syslog_udp_address: null,
};
const KEY = "mrik_key";
const textOf = (agent: Agent, addresses = ADDRESSES): string =>
  fillIn(agent, { addresses, key: KEY, service: "svc-1" });

test("each agent has its own id and title, and a configuration with the key and its address", () => {
  for (const name of ["id", "title"] as const)
    assert.equal(new Set(AGENTS.map((agent) => agent[name])).size, AGENTS.length);
  for (const agent of AGENTS) {
    const text = textOf(agent);
    assert.ok(text.includes(KEY), `${agent.id}: no key`);
    assert.ok(text.endsWith("\n"), agent.id);
    assert.match(text, addressPattern(agent), agent.id);
    assert.doesNotMatch(text, /undefined|null|(?<!\$)\bHOST\b|\bURL\b/, agent.id);
  }
});

function addressPattern({ needs }: Agent): RegExp {
  if (needs === "otlp_grpc_url") return /grpc\.example\.com:4317/;
  if (needs === "syslog_tcp_address") return /tcp\.example\.com\b[^]*\b514\b/;
  if (needs === "syslog_tls_address") return /2001:db8::1"[^]*\b6514\b/;
  return /in\.example\.com/;
}

test("an agent is offered only if the server listens for its protocol", () => {
  const closed = AGENTS.filter((agent) => !canConnect(agent, { ...ADDRESSES, ...NOWHERE }));
  assert.deepEqual(
    closed,
    AGENTS.filter(({ needs }) => needs !== undefined),
  );
  assert.ok(AGENTS.every((agent) => canConnect(agent, ADDRESSES)));
});

test("a value is never more than a word in a configuration", () => {
  const hostile = `x"'$(id)\`id\`;\n- \\ {}%{a}#`;
  const addresses = {
    ...ADDRESSES,
    ingest_url: `https://in.example.com/ $(id)'";{{a}}&~é`,
    otlp_grpc_url: `https://grpc.example.com:4317/$(id)`,
  };
  const encoded = "https://in.example.com/%20%24%28id%29%27%22%3B%7B%7Ba%7D%7D%26%7E%C3%A9";
  for (const agent of AGENTS) {
    const text = fillIn(agent, { addresses, key: hostile, service: hostile });
    const plain = fillIn(agent, {
      addresses: { ...addresses, ingest_url: encoded, otlp_grpc_url: "https://grpc.example.com:4317/%24%28id%29" },
      key: "INGEST_KEY",
      service: "my-service",
    });
    assert.equal(text, plain, agent.id);
  }
});

test("agents of Elasticsearch get a port, and a path of the address is kept", () => {
  for (const agent of AGENTS.filter(({ protocol }) => protocol === "elasticsearch"))
    assert.match(textOf(agent), /https:\/\/in\.example\.com:443\/base\/elasticsearch"/, agent.id);
  assert.match(textOf(agentOf("fluent-bit")), /uri: "\/base\/loki\/api\/v1\/push"$/m);
  // Vector appends the path.
  assert.match(textOf(agentOf("vector")), /endpoint: "https:\/\/in\.example\.com\/base"$/m);
});

function agentOf(id: string): Agent {
  const agent = AGENTS.find((each) => each.id === id);
  assert.ok(agent !== undefined, id);
  return agent;
}

test("a test sends with each agent that has no documents, and with no other one", () => {
  const folders = ["../../../tests/senders/", "../../../tests/portal/"].map((path) => new URL(path, import.meta.url));
  const tests = folders.flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith(".full.ts"))
      .map((name) => readFileSync(fileURLToPath(new URL(name, folder)), "utf8")),
  );
  const named = AGENTS.filter(({ id }) => tests.some((text) => text.includes(`"${id}"`))).map(({ id }) => id);
  // Prometheus 3 is run if there is a program; the portal's test only shows the configuration of Promtail.
  const others = new Set(["prometheus-2", "promtail"]);
  assert.deepEqual(
    named.filter((id) => !others.has(id)),
    AGENTS.filter(({ documents }) => documents === undefined).map(({ id }) => id),
  );
});

/** The options of agents that no test runs: a person has found each of them in the documents of the agent. */
const OPTIONS: Readonly<Record<string, string>> = {
  "prometheus-2": "remote_write url protobuf_message authorization credentials",
  "alloy-metrics": "url bearer_token targets forward_to __address__",
  alloy: "url bearer_token max_backoff_retries path_targets __path__ service_name targets forward_to",
  promtail:
    "server disable positions filename clients url basic_auth username password backoff_config max_retries scrape_configs job_name static_configs targets labels service_name __path__",
  "fluent-bit":
    "service flush storage.path pipeline inputs name path db storage.type outputs match host port tls uri http_user http_passwd labels line_format drop_single_key compress retry_limit",
  vector:
    "data_dir sources files type include sinks mooring inputs endpoint auth strategy token labels service_name encoding codec buffer max_size",
  filebeat:
    "filebeat.inputs type id paths fields_under_root fields service name output.elasticsearch hosts api_key setup.template.enabled setup.ilm.enabled",
  logstash: "hosts user password index data_stream manage_template ilm_enabled",
};

test("agents that no test runs have only documented options, in a text that can be parsed", (context) => {
  const read = AGENTS.filter(({ documents }) => documents !== undefined);
  assert.deepEqual(read.map(({ id }) => id).toSorted(), Object.keys(OPTIONS).toSorted());
  const yaml = read.filter(({ language }) => language === "yaml");
  const missing = missingYaml();
  if (missing !== false) context.skip(missing);
  const documents = missing === false ? documentsOf<unknown>(yaml.map((agent) => textOf(agent)).join("---\n")) : [];
  for (const agent of read) {
    if (agent.language === "yaml" && missing !== false) continue;
    const found = agent.language === "yaml" ? membersOf(documents[yaml.indexOf(agent)]) : optionsIn(agent);
    assert.ok(found.size > 1, agent.id);
    const known = new Set(OPTIONS[agent.id]?.split(" "));
    assert.deepEqual(
      [...found].filter((name) => !known.has(name)),
      [],
      agent.id,
    );
    for (const [open, close] of ["{}", "[]", "()"] as const)
      assert.equal(countOf(textOf(agent), open ?? ""), countOf(textOf(agent), close ?? ""), agent.id);
  }
});

/** The names of members at every depth. */
function membersOf(value: unknown): Set<string> {
  if (typeof value !== "object" || value === null) return new Set();
  const names = Array.isArray(value) ? [] : Object.keys(value);
  return new Set([...names, ...Object.values(value).flatMap((each) => [...membersOf(each)])]);
}

/** Names before `=` or `=>`, as Alloy and Logstash write options. */
function optionsIn(agent: Agent): Set<string> {
  const bare = textOf(agent).replaceAll(/"(?:[^"\\]|\\.)*"/g, '""');
  return new Set([...bare.matchAll(/[A-Za-z_]\w*(?=\s*(?:=>|=))/g)].map(([name]) => name));
}

function countOf(text: string, part: string): number {
  return text.split(part).length;
}
