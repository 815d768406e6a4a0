import assert from "node:assert/strict";
import { test } from "node:test";
import { commandOf, STEP_IDS } from "./commands.ts";

const FACTS = {
  addresses: {
    identity_url: "https://id.acme.dev",
    ingest_url: "https://in.acme.dev",
    storage_url: "https://files.acme.dev",
    registry_domain: "registry.acme.dev",
    webhooks_url: "https://hooks.acme.dev",
  },
  clientId: "mrc_01",
  repository: "orgs/acme/shop",
  webhookUrl: null,
  project: null,
};

test("each command has the addresses of this deployment and the chosen credential", () => {
  assert.match(commandOf("log", FACTS), /https:\/\/id\.acme\.dev\/oauth\/token -u mrc_01:CLIENT_SECRET/);
  assert.match(commandOf("log", FACTS), /https:\/\/in\.acme\.dev\/v1\/ingest\/logs/);
  assert.match(commandOf("file", { ...FACTS, project: "web" }), /"project":"web"/);
  assert.match(commandOf("image", FACTS), /docker push registry\.acme\.dev\/orgs\/acme\/shop:1/);
});

test("an unknown value is a word in capitals", () => {
  const facts = { ...FACTS, clientId: null, repository: null };
  assert.match(commandOf("image", facts), /-u CLIENT_ID\n/);
  assert.match(commandOf("webhook", facts), /hooks\.acme\.dev\/hooks\/WEBHOOK_TOKEN/);
});

test("an address with a quote stays one word of the shell", () => {
  const command = commandOf("webhook", { ...FACTS, webhookUrl: "https://h.dev/it's" });
  assert.match(command, /'https:\/\/h\.dev\/it'\\''s'/);
});

test("no command holds a secret", () => {
  for (const step of STEP_IDS) assert.doesNotMatch(commandOf(step, FACTS), /mrcs_/);
});
