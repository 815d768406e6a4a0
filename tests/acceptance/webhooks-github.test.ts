/**
 * Payloads as GitHub sends them: accepted once, verified, recognized on redelivery, found by SQL. Small invented ones,
 * and with `MOORING_TEST_GITHUB_PAYLOADS` every `<event>.json` of that directory.
 */
import assert from "node:assert/strict";
import { createHmac, randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { useSharedServer } from "../fixtures/server.ts";
import { rows } from "../fixtures/telemetry.ts";
import { newWebhook, post } from "../fixtures/webhooks.ts";

const shared = useSharedServer();
const SECRET = "It's a Secret to Everybody";
const DIRECTORY = process.env["MOORING_TEST_GITHUB_PAYLOADS"];

const OWN: Readonly<Record<string, string>> = {
  ping: '{"zen":"Design for failure.","hook_id":7,"repository":{"full_name":"acme/shop"}}',
  push: '{"ref":"refs/heads/main","commits":[{"message":"Grüße\\u0000"}],"repository":{"full_name":"acme/shop"}}',
};

/** Returns the header fields of GitHub's requests. */
function fieldsOf(event: string, body: string): Record<string, string> {
  return {
    "content-type": "application/json",
    "user-agent": "GitHub-Hookshot/044aadd",
    "x-github-delivery": randomUUID(),
    "x-github-event": event,
    "x-github-hook-id": "292430182",
    "x-hub-signature": `sha1=${createHmac("sha1", SECRET).update(body).digest("hex")}`,
    "x-hub-signature-256": `sha256=${createHmac("sha256", SECRET).update(body).digest("hex")}`,
  };
}

async function sent(payloads: Readonly<Record<string, string>>): Promise<void> {
  const { server, token } = shared;
  const { id, url } = await newWebhook(server, token, { verification: { scheme: "github" }, secret: SECRET });
  const ids = new Map<string, string>();
  for (const [event, body] of Object.entries(payloads)) {
    const fields = fieldsOf(event, body);
    const first = await post(url, body, fields);
    assert.equal(first.status, 202, `${event}: ${first.text}`);
    const again = await post(url, body, fields);
    assert.deepEqual(again.json, { id: first.json["id"], duplicate: true }, event);
    assert.equal((await post(url, `${body} `, { ...fields, "x-github-delivery": randomUUID() })).status, 401, event);
    ids.set(event, String(first.json["id"]));
  }
  const sql = `SELECT id, type, verified, json->'repository'->>'full_name' AS name FROM webhook_events WHERE webhook_id = '${id}' ORDER BY id`;
  const expected = Object.entries(payloads).map(([event, body]) => ({
    id: ids.get(event),
    type: event,
    verified: "github",
    name: (JSON.parse(body) as { repository?: { full_name: string } }).repository?.full_name ?? null,
  }));
  assert.deepEqual(await rows(server, token, sql), expected);
}

test("invented payloads", () => sent(OWN));

const MISSING = "NOT RUN: set MOORING_TEST_GITHUB_PAYLOADS to a directory of payloads, one <event>.json each";

test("real payloads", { skip: DIRECTORY === undefined ? MISSING : false }, async () => {
  const directory = String(DIRECTORY);
  const names = readdirSync(directory).filter((name) => name.endsWith(".json"));
  assert.ok(names.length > 0, `${directory} has no payloads`);
  const read = (name: string): [string, string] => [
    name.replace(".json", ""),
    readFileSync(join(directory, name), "utf8"),
  ];
  await sent(Object.fromEntries(names.map(read)));
});
