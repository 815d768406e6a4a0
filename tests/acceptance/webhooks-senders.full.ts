/** Requests of known senders: deduplicating, naming and verifying their events, and storing them without secrets. */
import assert from "node:assert/strict";
import { createHash, createHmac } from "node:crypto";
import { test } from "node:test";
import { useSharedServer } from "../fixtures/server.ts";
import { rows } from "../fixtures/telemetry.ts";
import { allEvents, newDestination, newWebhook, post, acceptedEvent } from "../fixtures/webhooks.ts";

const shared = useSharedServer();
const STRUCTURED = { "content-type": "application/cloudevents+json; charset=utf-8" };
const BATCHED = { "content-type": "application/cloudevents-batch+json" };

function cloudEvent(source: string, id: string, type = "order.paid"): string {
  return `{"specversion":"1.0","source":"${source}","id":"${id}","type":"${type}","data":{"n":1234567890123456789}}`;
}

test("CloudEvents are deduplicated by source and ID, in every mode", async () => {
  const { server, token } = shared;
  const { id, url } = await newWebhook(server, token);
  const structured = await acceptedEvent(url, cloudEvent("/a", "1"), STRUCTURED);
  assert.equal(await acceptedEvent(url, cloudEvent("/a", "1"), STRUCTURED), structured);
  const binary = { "ce-specversion": "1.0", "ce-source": "%2Fa", "ce-id": "1", "ce-type": "order.paid" };
  assert.equal(await acceptedEvent(url, "{}", binary), structured);
  const others = [cloudEvent("/a", "2"), cloudEvent("/b", "1"), cloudEvent("/a 1", ""), cloudEvent("/a", " 1")];
  const ids = [structured];
  for (const other of others) ids.push(await acceptedEvent(url, other, STRUCTURED));
  assert.equal(new Set(ids).size, 5);
  const events = await allEvents(server, token, id);
  assert.deepEqual(
    events.map(({ type }) => type),
    Array.from({ length: 5 }, () => "order.paid"),
  );
  assert.equal(events[0]?.duplicates, 2);
});

test("a batch of CloudEvents becomes one event each, with its text and its own deduplication", async () => {
  const { server, token } = shared;
  const { id, url } = await newWebhook(server, token);
  const elements = [
    cloudEvent("/a", "1"),
    ` ${cloudEvent("/a", "2", "order.sent")}\n`,
    cloudEvent('/a, [\\\\\\"', "3"),
  ];
  const first = await acceptedEvent(url, elements[1] ?? "", STRUCTURED);
  const answer = await post(url, `[${elements.join(",")}]`, BATCHED);
  assert.equal(answer.status, 202, answer.text);
  const told = answer.json["events"] as { id: string; duplicate?: true }[];
  assert.deepEqual([told.length, told[0]?.id, told[1]], [3, answer.json["id"], { id: first, duplicate: true }]);
  const again = await post(url, `[${elements.join(",")}]`, BATCHED);
  assert.deepEqual(
    again.json["events"],
    told.map((event) => ({ id: event.id, duplicate: true })),
  );
  const events = await allEvents(server, token, id);
  assert.deepEqual(
    events.map(({ type, body }) => [type, body]),
    [elements[1], elements[0], elements[2]].map((text, i) => [
      i === 0 ? "order.sent" : "order.paid",
      i === 0 ? text : text?.trim(),
    ]),
  );
});

test("an invalid batch is one event, and a batch that is too large is deduplicated as a whole", async () => {
  const { server, token } = shared;
  const { id, url } = await newWebhook(server, token);
  const many = `[${Array.from({ length: 1001 }, (_, i) => `{"source":"s","id":"${i}"}`).join(",")}]`;
  for (const body of ["[]", "{}", "[1]", '[{"id":"1"}]', "[", many]) {
    const answer = await post(url, body, BATCHED);
    assert.deepEqual([answer.status, answer.json["events"]], [202, undefined], answer.text);
  }
  assert.equal((await post(url, many, BATCHED)).json["duplicate"], true);
  assert.equal((await allEvents(server, token, id)).length, 6);
});

test("events of a batch are distinguished when a header field names the delivery", async () => {
  const { server, token } = shared;
  const { url } = await newWebhook(server, token, { deduplication: { by: "header", name: "X-Delivery" } });
  const body = `[${cloudEvent("/a", "1")},${cloudEvent("/a", "2")}]`;
  const answer = await post(url, body, { ...BATCHED, "x-delivery": "7" });
  assert.deepEqual(
    (answer.json["events"] as { duplicate?: true }[]).map(({ duplicate }) => duplicate),
    [undefined, undefined],
  );
});

test("Bitbucket's events have its names", async () => {
  const { server, token } = shared;
  const { id, url } = await newWebhook(server, token);
  const fields = { "X-Event-Key": "repo:push", "X-Request-UUID": "6f1c1a6e-0c1c-4c1f-9e5d-0a3b1f0f5c11" };
  const first = await acceptedEvent(url, '{"push":1}', { ...fields, "X-Attempt-Number": "1" });
  assert.equal(await acceptedEvent(url, '{"push":1}', { ...fields, "X-Attempt-Number": "2" }), first);
  const [event] = await allEvents(server, token, id);
  assert.equal(event?.type, "repo:push");
  const kept = new Map(event?.headers.map(([name, value]) => [name.toLowerCase(), value]));
  assert.equal(kept.get("x-request-uuid"), fields["X-Request-UUID"]);
});

test("Twilio's signature over the address and a form, or the digest of JSON, is accepted; another is refused", async () => {
  const { server, token } = shared;
  const secret = "a token of an account";
  const { url } = await newWebhook(server, token, { verification: { scheme: "twilio" }, secret });
  const sign = (text: string): string => createHmac("sha1", secret).update(text).digest("base64");
  const form = { "content-type": "application/x-www-form-urlencoded" };
  const body = "From=%2B15551234&Body=hello+there";
  const good = { ...form, "x-twilio-signature": sign(`${url}?n=1Bodyhello thereFrom+15551234`) };
  assert.equal((await post(`${url}?n=1`, body, good)).status, 202);
  assert.equal((await post(`${url}?n=2`, body, good)).status, 401);
  const json = '{"a":1}';
  const withDigest = `${url}?bodySHA256=${createHash("sha256").update(json).digest("hex")}`;
  const signed = { "content-type": "application/json", "x-twilio-signature": sign(withDigest) };
  assert.equal((await post(withDigest, json, signed)).status, 202);
  assert.equal((await post(withDigest, '{"a":2}', signed)).status, 401);
});

test("no answer and no table has a sender's secret; hashes replace them", async () => {
  const { server, token } = shared;
  const { id, url } = await newWebhook(server, token);
  const names =
    "X-Telegram-Bot-Api-Secret-Token X-Goog-Channel-Token X-Vault-Token X-Auth-Token Private-Token X-Amz-Security-Token Apikey";
  const fields = Object.fromEntries(names.split(" ").map((name, i) => [name, `theirs-${i}`]));
  const signature = `sha256=${createHmac("sha256", "k").update("{}").digest("hex")}`;
  const event = await acceptedEvent(`${url}?token=theirs-7&page=2`, "{}", {
    ...fields,
    "X-Hub-Signature-256": signature,
  });
  const read = await server.call<{ query: string; headers: [string, string][] }>(
    "GET",
    `/v1/webhooks/${id}/events/${event}`,
    { token },
  );
  const listed = await rows(server, token, `SELECT * FROM webhook_events WHERE id = '${event}'`);
  assert.doesNotMatch(read.text + JSON.stringify(listed), /theirs/);
  const kept = new Map(read.body.headers.map(([name, value]) => [name.toLowerCase(), value]));
  for (const name of Object.keys(fields)) assert.match(kept.get(name.toLowerCase()) ?? "", /^redacted:[0-9a-f]{16}$/);
  assert.equal(kept.get("x-hub-signature-256"), signature);
  assert.match(read.body.query, /^token=redacted:[0-9a-f]{16}&page=2$/);
});

test("a destination is stored in its normalized form; names of this machine and control characters are refused", async () => {
  const { server, token } = shared;
  const { id } = await newWebhook(server, token);
  const path = `/v1/webhooks/${id}/destinations`;
  for (const url of [
    "https://localhost:8443/x",
    "https://LOCALHOST/x",
    "https://a.localhost./x",
    "https://receiver.example/a\r\nHost: b",
    "https://receiver.example/a\tb",
    " https://receiver.example/",
  ]) {
    const answer = await server.call("POST", path, { token, json: { name: "test", url } });
    assert.equal(answer.status, 400, `${url}: ${answer.text}`);
  }
  const made = await newDestination(server, token, id, { url: "HTTPS://Receiver.EXAMPLE:443/a/../b?x=1" });
  const stored = await server.call<{ url: string }>("GET", `${path}/${made.id}`, { token });
  assert.equal(stored.body.url, "https://receiver.example/b?x=1");
  const json = { url: "https://m\u00fcnchen.example" };
  const changed = await server.call<{ url: string }>("PATCH", `${path}/${made.id}`, { token, json });
  assert.equal(changed.body.url, "https://xn--mnchen-3ya.example/");
});
