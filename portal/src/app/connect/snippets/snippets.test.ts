import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { toolsFor, type SnippetInput } from "./index.ts";

const TOPICS = ["token", "telemetry", "query", "files", "s3", "registry", "webhooks"] as const;
const INPUT: SnippetInput = {
  topic: "token",
  addresses: {
    identity_url: "https://id.example.com",
    ingest_url: "https://in.example.com",
    query_url: "https://query.example.com",
    storage_url: "https://files.example.com",
    registry_domain: "images.example.com",
    s3_endpoint: "https://s3.example.com",
    webhooks_url: "https://hooks.example.com",
    portal_url: "https://mooring.example.com",
  },
  org: "acme",
  project: "web",
  app: "shop",
  clientId: "mrc_01",
  accessKeyId: "MOOR01",
};
const WITH_SECRETS: SnippetInput = { ...INPUT, clientSecret: "mrcs_secret", secretAccessKey: "s3secret" };

function everySnippet(input: SnippetInput) {
  return TOPICS.flatMap((topic) =>
    toolsFor(topic).flatMap((tool) =>
      tool.snippets({ ...input, topic: tool.fixed ?? topic }).map((snippet) => ({ ...snippet, topic, tool: tool.id })),
    ),
  );
}

test("every topic has every tool, suitable ones first, each snippet with its own title", () => {
  for (const topic of TOPICS) {
    assert.equal(new Set(toolsFor(topic).map(({ id }) => id)).size, 9);
    for (const { snippets, fixed } of toolsFor(topic)) {
      const titles = snippets({ ...INPUT, topic: fixed ?? topic }).map(({ title }) => title);
      assert.equal(new Set(titles).size, titles.length);
      assert.ok(titles.length > 0);
    }
  }
  assert.equal(toolsFor("telemetry")[0]?.id, "otel");
  assert.equal(toolsFor("s3")[0]?.id, "aws");
  assert.equal(toolsFor("registry")[0]?.id, "docker");
});

test("a snippet asks for an unknown secret; a new secret is in an assignment or on standard input", () => {
  const asking = everySnippet(INPUT).filter(({ text }) => /^read -rs [A-Z_]+ && export/m.test(text));
  assert.ok(asking.length > TOPICS.length);
  for (const { text } of everySnippet(WITH_SECRETS)) {
    const lines = text.split("\n").filter((line) => /mrcs_secret|s3secret/.test(line));
    for (const line of lines)
      assert.match(line, /^ (?:export [A-Z_]+=\S+|printf %s \S+ \| gh secret set [A-Z_]+)$/, "kept out of the history");
  }
});

test("no secret is an argument: not with -u, nor as data", () => {
  for (const { text } of everySnippet(INPUT)) {
    assert.doesNotMatch(text, /curl[^|\n]* (?:-u|--user) (?!\+)/);
    assert.doesNotMatch(text, /-d client_secret|--password /);
  }
});

test("snippets have the deployment's addresses and no placeholders", () => {
  const texts = everySnippet(INPUT).map(({ text }) => text);
  for (const text of texts) {
    assert.doesNotMatch(text, /["/=](?:undefined|null)|127\.0\.0\.1:8080/);
    assert.doesNotMatch(
      text,
      /\b(?:CLIENT_ID|APP|PROJECT|ACCESS_KEY_ID)\b(?<!MOORING_CLIENT_ID|AWS_ACCESS_KEY_ID)(?!=)/,
    );
  }
  assert.ok(texts.some((text) => text.includes("images.example.com/orgs/acme/shop:latest")));
  assert.ok(texts.some((text) => text.includes("https://in.example.com/otlp")));
});

test("a shell can parse the shell snippets", () => {
  const shells = everySnippet(WITH_SECRETS).filter(
    ({ tool, title }) => !/\.(?:py|mjs|yaml|yml|conf)$|config$/.test(title) && tool !== "boto3",
  );
  for (const { text, title } of shells) {
    const { status, stderr } = spawnSync("bash", ["-n"], { input: text, encoding: "utf8" });
    assert.equal(status, 0, `${title}: ${stderr}`);
  }
});

test("Node can parse the modules", () => {
  for (const { text, title } of everySnippet(INPUT).filter((snippet) => snippet.title.endsWith(".mjs"))) {
    const { status, stderr } = spawnSync(process.execPath, ["--input-type=module", "--check"], {
      input: text,
      encoding: "utf8",
    });
    assert.equal(status, 0, `${title}: ${stderr}`);
  }
});
