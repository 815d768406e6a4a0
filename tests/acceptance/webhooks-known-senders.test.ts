/** Webhooks of known senders: their answers, handshakes, lists of events, secrets and names, over HTTP. */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { useSharedServer } from "../fixtures/server.ts";
import { rows } from "../fixtures/telemetry.ts";
import { allEvents, newWebhook, post } from "../fixtures/webhooks.ts";

const shared = useSharedServer();
const SECRET = "a secret of ours";
const hmac = (content: string, key: string | Buffer = SECRET): string =>
  createHmac("sha256", key).update(content).digest("hex");

test("a sender gets the answer that it expects, and its event has the sender's name and type", async () => {
  const { server, token } = shared;
  const { id, url } = await newWebhook(server, token, { verification: { scheme: "paddle" }, secret: SECRET });
  const body = '{"event_id":"evt_1","event_type":"transaction.completed"}';
  const ts = String(Math.floor(Date.now() / 1000));
  const fields = { "paddle-signature": `ts=${ts};h1=${hmac(`${ts}:${body}`)}` };
  const first = await post(url, body, fields);
  assert.equal(first.status, 200, first.text);
  const again = await post(url, body, fields);
  assert.deepEqual(again.json, { id: first.json["id"], duplicate: true });
  assert.equal((await post(url, body.replace("1", "2"), fields)).status, 401);
  const sql = `SELECT type, verified FROM webhook_events WHERE webhook_id = '${id}'`;
  assert.deepEqual(await rows(server, token, sql), [{ type: "transaction.completed", verified: "paddle" }]);
  const found = await server.call<{ items: unknown[] }>("GET", `/v1/webhooks/${id}/events?verified=paddle`, { token });
  assert.equal(found.body.items.length, 1);
});

test("the signed address is the public URL, and does not depend on Host", async () => {
  const { server, token } = shared;
  const { url } = await newWebhook(server, token, { verification: { scheme: "trello" }, secret: SECRET });
  const body = '{"action":{"id":"1","type":"updateCard"}}';
  const sign = (address: string): string =>
    createHmac("sha1", SECRET)
      .update(body + address)
      .digest("base64");
  assert.equal((await fetch(url, { method: "HEAD" })).status, 200);
  assert.equal((await post(url, body, { "x-trello-webhook": sign(url) })).status, 200);
  assert.equal(
    (await post(url, body, { "x-trello-webhook": sign(url.replace("127.0.0.1", "localhost")) })).status,
    401,
  );
  assert.equal(
    (await post(url.replace("127.0.0.1", "localhost"), body, { "x-trello-webhook": sign(url) })).status,
    200,
  );
});

test("a list of events becomes one event each, with its own name", async () => {
  const { server, token } = shared;
  const { id, url } = await newWebhook(server, token, { verification: { scheme: "hubspot" }, secret: SECRET });
  const event = (n: number): string =>
    `{"eventId":${n},"subscriptionId":2,"occurredAt":1795000000000,"subscriptionType":"contact.creation"}`;
  const send = (body: string): ReturnType<typeof post> => {
    const time = String(Date.now());
    const signature = createHmac("sha256", SECRET).update(`POST${url}${body}${time}`).digest("base64");
    return post(url, body, { "x-hubspot-request-timestamp": time, "x-hubspot-signature-v3": signature });
  };
  const first = await send(`[${event(1)}, ${event(2)}]`);
  assert.equal(first.status, 202, first.text);
  const second = await send(`[${event(2)},${event(3)}]`);
  const told = second.json["events"] as { duplicate?: true }[];
  assert.deepEqual(
    told.map(({ duplicate }) => duplicate),
    [true, undefined],
  );
  assert.deepEqual(
    (await allEvents(server, token, id)).map(({ body }) => body),
    [event(1), event(2), event(3)],
  );
  assert.equal((await send('[{"eventId":1},7]')).status, 202);
  assert.equal((await allEvents(server, token, id)).length, 4, "a list that is not one of events stays whole");
});

test("handshakes create no event; a signed one is answered only to its sender", async () => {
  const { server, token } = shared;
  const { id, url } = await newWebhook(server, token, { verification: { scheme: "zoom" }, secret: SECRET });
  const body = '{"event":"endpoint.url_validation","payload":{"plainToken":"abc"}}';
  assert.equal((await post(url, body)).status, 401);
  const time = String(Math.floor(Date.now() / 1000));
  const fields = { "x-zm-request-timestamp": time, "x-zm-signature": `v0=${hmac(`v0:${time}:${body}`)}` };
  const answer = await post(url, body, fields);
  assert.deepEqual([answer.status, answer.json], [200, { plainToken: "abc", encryptedToken: hmac("abc") }]);
  assert.deepEqual(await allEvents(server, token, id), []);
});

test("a sender that proves nothing needs no secret, and its events are not verified", async () => {
  const { server, token } = shared;
  const { id, url } = await newWebhook(server, token, { verification: { scheme: "docker_hub" } });
  const body = '{"push_data":{"pushed_at":1,"tag":"latest"},"repository":{"repo_name":"acme/shop"}}';
  const first = await post(url, body);
  assert.deepEqual((await post(url, body)).json, { id: first.json["id"], duplicate: true });
  const read = await server.call<{ has_secret: boolean }>("GET", `/v1/webhooks/${id}`, { token });
  assert.equal(read.body.has_secret, false);
  const sql = `SELECT verified FROM webhook_events WHERE webhook_id = '${id}'`;
  assert.deepEqual(await rows(server, token, sql), [{ verified: "none" }]);
});

test("a secret in another form, a missing audience and a missing verify token are refused", async () => {
  const { server, token } = shared;
  for (const [verification, secret, pointer] of [
    [{ scheme: "discord" }, "not hexadecimal", "/secret"],
    [{ scheme: "aws_sns" }, "arn:aws:s3:::bucket", "/secret"],
    [{ scheme: "adyen" }, "x".repeat(64), "/secret"],
    [{ scheme: "github" }, undefined, "/secret"],
    [{ scheme: "azure_event_grid_entra" }, "11111111-2222-3333-4444-555555555555", "/verification/audience"],
    [{ scheme: "meta" }, "the app's secret", "/verify_token"],
  ] as const) {
    const json = { name: "test", project: "shop", verification, ...(secret === undefined ? {} : { secret }) };
    const answer = await server.call<{ errors: { pointer: string }[] }>("POST", "/v1/webhooks", { token, json });
    assert.deepEqual([answer.status, answer.body.errors.map((error) => error.pointer)], [400, [pointer]], answer.text);
  }
});
