/** Bodies of webhooks: any body comes back as it was sent, and no event affects another. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { EventSource } from "eventsource";
import { useSharedServer } from "../fixtures/server.ts";
import { query, rows } from "../fixtures/telemetry.ts";
import { newWebhook, post, acceptedEvent } from "../fixtures/webhooks.ts";

const shared = useSharedServer();

interface Row {
  readonly id: string;
  readonly body_format: string;
  readonly body: string;
  readonly body_base64: string | null;
  readonly json: string | null;
}

const BODIES: readonly { readonly name: string; readonly text: string; readonly format: string }[] = [
  { name: "numbers", text: '{"snow":1234567890123456789,"price":1.10,"e":1E400,"z":-0.0}', format: "json" },
  { name: "members of one name", text: '{"a":1,"b":2,"a":3}', format: "json" },
  { name: "white space", text: ' {\n  "a" : [ 1,\r\n 2 ]\t}\n', format: "json" },
  { name: "names that look like numbers", text: '{"b":1,"10":2,"9":3,"__proto__":{"x":1}}', format: "json" },
  { name: "escapes", text: '{"a":"\\u00e9\\/\\u0000\\ud83d\\ude00 é\u{1f600}"}', format: "json" },
  { name: "a value that is not an object", text: "1234567890123456789", format: "json" },
  { name: "100 levels", text: "[".repeat(100) + "]".repeat(100), format: "json" },
  { name: "101 levels", text: "[".repeat(101) + "]".repeat(101), format: "deep_json" },
  { name: "5,000 levels", text: "[".repeat(5000) + "]".repeat(5000), format: "deep_json" },
  { name: "30,000 levels", text: '{"a":'.repeat(10_000) + "0" + "}".repeat(10_000), format: "deep_json" },
  { name: "brackets that don't close", text: "[".repeat(5000) + "]".repeat(4999), format: "text" },
  { name: "text with a NUL", text: "a\u0000b", format: "text" },
  { name: "a byte order mark", text: '\ufeff{"a":1}', format: "text" },
  { name: "nothing", text: "", format: "text" },
];

/** Returns the text of `json` in an event's JSON text. */
function jsonIn(event: string): string {
  return event.slice(event.indexOf(',"json":') + 8, -1);
}

test("SQL and the API return the sender's text, with any content", async () => {
  const { server, token } = shared;
  const { id, url } = await newWebhook(server, token);
  for (const { name, text, format } of BODIES) {
    const event = await acceptedEvent(url, text);
    const answer = await server.call<Row>("GET", `/v1/webhooks/${id}/events/${event}`, { token });
    assert.equal(answer.status, 200, name);
    assert.deepEqual([answer.body.body, answer.body.body_format], [text, format], name);
    assert.equal(jsonIn(answer.text), format === "json" ? text : "null", name);
    const sql = `SELECT * REPLACE (json::VARCHAR AS json) FROM webhook_events WHERE id = '${event}'`;
    const [row] = await rows<Row>(server, token, sql);
    assert.deepEqual([row?.body, row?.body_format, row?.json], [text, format, format === "json" ? text : null], name);
  }
});

test("a result in JSON has the text as a value, on one line", async () => {
  const { server, token } = shared;
  const { url } = await newWebhook(server, token);
  const event = await acceptedEvent(url, '{"snow":1234567890123456789,\r\n"price":1.10,"a":1,"a":2}');
  const sql = `SELECT json FROM webhook_events WHERE id = '${event}'`;
  const answer = await query(server, token, sql);
  assert.ok(answer.text.includes('{"json":{"snow":1234567890123456789, "price":1.10,"a":1,"a":2}}'), answer.text);
});

test("lists, polls, claims and the live stream return the text too", async () => {
  const { server, token } = shared;
  const { id, url } = await newWebhook(server, token);
  const text = '{"snow":1234567890123456789,\r\n"price":1.10,"a":1,"a":2}';
  const path = `/v1/webhooks/${id}`;
  await server.call("POST", `${path}/consumers`, { token, json: { name: "c", from: "oldest" } });
  const event = await acceptedEvent(url, text);
  for (const [method, more] of [
    ["GET", "/events"],
    ["GET", "/poll"],
    ["POST", "/consumers/c/claim"],
  ] as const) {
    const answer = await server.call<{ items: Row[] }>(method, path + more, {
      token,
      ...(method === "POST" ? { json: {} } : {}),
    });
    assert.deepEqual([answer.status, answer.body.items[0]?.id], [200, event], answer.text);
    assert.ok(answer.text.includes(`,"json":${text}}`), answer.text);
  }
  const source = new EventSource(`${server.origin}${path}/stream?last_event_id=${await firstCursor(path)}`, {
    fetch: (at, init) => fetch(at, { ...init, headers: { ...init.headers, authorization: `Bearer ${token}` } }),
  });
  const second = '{"n":1234567890123456789,\n"n":2}';
  const shown = new Promise<string>((resolve) => source.addEventListener("event", ({ data }) => resolve(String(data))));
  await acceptedEvent(url, second);
  assert.equal(jsonIn(await shown), second.replace("\n", " "), "a line break would end the event");
  source.close();
});

async function firstCursor(path: string): Promise<string> {
  const { server, token } = shared;
  const { body } = await server.call<{ items: { cursor: string }[] }>("GET", `${path}/poll`, { token });
  return body.items.at(-1)?.cursor ?? "";
}

test("bytes that are not text are stored as bytes, and marked", async () => {
  const { server, token } = shared;
  const { id, url } = await newWebhook(server, token);
  const bytes = Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]);
  const event = String((await post(url, bytes)).json["id"]);
  const { body } = await server.call<Row>("GET", `/v1/webhooks/${id}/events/${event}`, { token });
  const [row] = await rows<Row>(server, token, `SELECT * FROM webhook_events WHERE id = '${event}'`);
  const base64 = bytes.toString("base64");
  assert.deepEqual([body.body_format, body.body, body.body_base64, body.json], ["binary", null, base64, null]);
  assert.deepEqual([row?.body_format, row?.body, row?.body_base64], ["binary", bytes.toString(), base64]);
});

test("numbers that a double can't hold distinguish events, and find them", async () => {
  const { server, token } = shared;
  const deduplication = { by: "pointer", name: "/id" };
  const { id, url } = await newWebhook(server, token, { deduplication });
  const first = await acceptedEvent(url, '{"id":1234567890123456788}');
  const second = await acceptedEvent(url, '{"id":1234567890123456789}');
  assert.notEqual(first, second);
  assert.equal(await acceptedEvent(url, '{"id":1234567890123456789}'), second);
  const path = `/v1/webhooks/${id}/events?pointer=/id=1234567890123456789`;
  const found = await server.call<{ items: Row[] }>("GET", path, { token });
  assert.deepEqual(
    found.body.items.map((event) => event.id),
    [second],
  );
});

test("the search for a member skips deeply nested values", async () => {
  const { server, token } = shared;
  const { id, url } = await newWebhook(server, token);
  await acceptedEvent(url, `{"a":${"[".repeat(9000)}${"]".repeat(9000)}}`);
  const event = await acceptedEvent(url, '{"a":[1]}');
  for (const pointer of ["/a", "/a=[1]"]) {
    const path = `/v1/webhooks/${id}/events?pointer=${pointer}`;
    const found = await server.call<{ items: Row[] }>("GET", path, { token });
    assert.deepEqual([found.status, found.body.items.map((each) => each.id)], [200, [event]], found.text);
  }
});
