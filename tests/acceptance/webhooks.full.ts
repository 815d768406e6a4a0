/** Incoming webhooks from outside: accepting, refusing, deduplicating, reading and forwarding events. */
import assert from "node:assert/strict";
import { createHmac, randomUUID } from "node:crypto";
import { test } from "node:test";
import { EventSource } from "eventsource";
import { Webhook } from "standardwebhooks";
import { Webhook as SvixWebhook } from "svix";
import { refused } from "../fixtures/http.ts";
import { eventually } from "../fixtures/process.ts";
import { startReceiver, type Received } from "../fixtures/receiver.ts";
import { useServer } from "../fixtures/server.ts";
import { rows } from "../fixtures/telemetry.ts";
import { allEvents, newDestination, newWebhook, post, acceptedEvent, type Event } from "../fixtures/webhooks.ts";

const LIMITS = { webhook_rate_limit_per_second: 1, webhook_rate_limit_burst: 60 };
const STORED_BYTES_MAX = 8 * 1024 * 1024;
const shared = useServer({
  settings: { webhooks_private_addresses: "allow", webhook_stored_bytes_max: STORED_BYTES_MAX, ...LIMITS },
});
const JSON_TYPE = { "content-type": "application/json" };

test("bootstrap's webhook accepts anything and stores it byte for byte, without its credentials", async () => {
  const { server, home, token } = shared;
  const bytes = Uint8Array.from({ length: 256 }, (_, i) => i);
  const answer = await post(`${home.webhook.url}?from=test&n=1`, bytes, {
    "content-type": "; not a type",
    "X-Custom": "Kept",
    authorization: "Bearer theirs",
    cookie: "session=theirs",
  });
  assert.equal(answer.status, 202, answer.text);
  const path = `/v1/webhooks/${home.webhook.id}/events/${String(answer.json["id"])}`;
  const event = (await server.call<Event & Record<string, unknown>>("GET", path, { token })).body;
  assert.equal(event["query"], "from=test&n=1");
  assert.equal(event["content_type"], "; not a type");
  assert.equal(event["body_base64"], Buffer.from(bytes).toString("base64"));
  const fields = new Map(event.headers.map(([name, value]) => [name.toLowerCase(), value]));
  assert.equal(fields.get("x-custom"), "Kept");
  for (const name of ["authorization", "cookie"]) assert.match(fields.get(name) ?? "", /^redacted:[0-9a-f]{16}$/);
  assert.ok(!JSON.stringify(event).includes("theirs"));
});

test("1 MiB is accepted and one byte more is refused, with and without a length", async () => {
  const { url } = await newWebhook(shared.server, shared.token);
  const chunked = async (bytes: number): Promise<number> => {
    const body = new ReadableStream({
      start: (controller) => {
        for (let left = bytes; left > 0; left -= 65_536) controller.enqueue(Buffer.alloc(Math.min(left, 65_536), 97));
        controller.close();
      },
    });
    const init = { method: "POST", body, duplex: "half" } as RequestInit;
    return (await fetch(url, init)).status;
  };
  const limit = 1024 * 1024;
  assert.equal((await post(url, Buffer.alloc(limit))).status, 202);
  assert.equal((await post(url, Buffer.alloc(limit + 1))).status, 413);
  assert.equal(await chunked(limit), 202);
  assert.equal(await chunked(limit + 1), 413);
});

test("unknown, malformed, retired and deleted addresses get the same answer, without the secret", async () => {
  const { server, token } = shared;
  const rotated = await newWebhook(server, token);
  const deleted = await newWebhook(server, token);
  await server.call("POST", `/v1/webhooks/${rotated.id}/rotate-url`, { token, json: { grace_s: 0 } });
  await server.call("DELETE", `/v1/webhooks/${deleted.id}`, { token });
  const origin = new URL(rotated.url).origin;
  const unknown = rotated.url.slice(0, -8) + "00000000";
  const urls = [rotated.url, deleted.url, unknown, `${origin}/hooks/x`, `${origin}/hooks/${"a".repeat(500)}`];
  const answers = await Promise.all(urls.map((url) => post(url, "{}", { ...JSON_TYPE, "request-id": "same-for-all" })));
  for (const { status, text } of answers) {
    assert.equal(status, 404);
    assert.equal(text, answers[0]?.text);
  }
  assert.ok(!server.stderr().includes(rotated.url.slice(-20)), "no address is logged");
});

test("events come by POST: every other method is refused, creates no event, and shows no address", async () => {
  const { server, token } = shared;
  const { id, url } = await newWebhook(server, token);
  for (const method of ["GET", "OPTIONS", "PUT", "PATCH", "DELETE"]) {
    const answer = await fetch(url, { method });
    const text = await answer.text();
    assert.deepEqual([answer.status, answer.headers.get("allow")], [405, "POST"], text);
    assert.ok(!text.includes(url.slice(-20)), text);
  }
  assert.deepEqual(await allEvents(server, token, id), []);
});

test("an address is rotated with a grace period, its late requests are counted, and showing it again is audited", async () => {
  const { server, token } = shared;
  const { id, url } = await newWebhook(server, token);
  const next = await server.call("POST", `/v1/webhooks/${id}/rotate-url`, { token, json: { grace_s: 3600 } });
  assert.equal(next.status, 201, next.text);
  await acceptedEvent(url, "late");
  await acceptedEvent(String(next.body["webhook_url"]), "in time");
  const hits = async (): Promise<true | null> => {
    const { body } = await server.call<{ urls: { hits: number; expires_at: string | null }[] }>(
      "GET",
      `/v1/webhooks/${id}`,
      {
        token,
      },
    );
    return body.urls.length === 2 && body.urls.every((each) => each.hits === 1) ? true : null;
  };
  await eventually("both hits to be counted", hits);
  const shown = await server.call("POST", `/v1/webhooks/${id}/reveal-url`, { token });
  assert.equal(shown.body["webhook_url"], next.body["webhook_url"]);
  const audit = await server.call<{ items: { action: string }[] }>("GET", "/v1/audit?limit=20", { token });
  const actions = audit.body.items.map(({ action }) => action);
  for (const action of ["webhook.url.reveal", "webhook.url.rotate"]) assert.ok(actions.includes(action), action);
});

test("an event that can't be verified is refused, and stored with the reason", async () => {
  const { server, token } = shared;
  const secret = "it is a secret";
  const { id, url } = await newWebhook(server, token, { verification: { scheme: "github" }, secret });
  const body = '{"zen": "Keep it logically awesome."}';
  const signature = `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
  await acceptedEvent(url, body, { ...JSON_TYPE, "x-github-event": "ping", "x-hub-signature-256": signature });
  assert.equal((await post(url, `${body} `, { "x-hub-signature-256": signature })).status, 401);
  const { body: rejected } = await server.call<{ items: { reason: string }[] }>(
    "GET",
    `/v1/webhooks/${id}/rejections`,
    {
      token,
    },
  );
  assert.match(rejected.items[0]?.reason ?? "", /X-Hub-Signature-256 is not the signature of this body/);
  const events = await allEvents(server, token, id);
  assert.deepEqual(
    events.map(({ type }) => type),
    ["ping"],
  );
});

test("events that the libraries of Standard Webhooks and Svix sign are accepted, during a rotation with either secret", async () => {
  const { server, token } = shared;
  const { id, url, secret } = await newWebhook(server, token, { verification: { scheme: "standard_webhooks" } });
  const send = async (prefix: "webhook" | "svix", key: string): Promise<number> => {
    const [name, at, body] = [`msg_${randomUUID()}`, new Date(), '{"type":"invoice.paid"}'];
    const library = prefix === "svix" ? new SvixWebhook(key) : new Webhook(key);
    const fields = {
      [`${prefix}-id`]: name,
      [`${prefix}-timestamp`]: String(Math.floor(at.getTime() / 1000)),
      [`${prefix}-signature`]: library.sign(name, at, body),
    };
    return (await post(url, body, { ...JSON_TYPE, ...fields })).status;
  };
  const both = (key: string): Promise<number[]> => Promise.all([send("webhook", key), send("svix", key)]);
  assert.deepEqual(await both(secret), [202, 202]);
  const rotated = await server.call("POST", `/v1/webhooks/${id}/rotate-secret`, { token, json: { overlap_s: 60 } });
  assert.deepEqual(await both(String(rotated.body["secret"])), [202, 202]);
  assert.deepEqual(await both(secret), [202, 202]);
  await server.call("POST", `/v1/webhooks/${id}/rotate-secret`, { token, json: { overlap_s: 0 } });
  assert.deepEqual(await both(secret), [401, 401]);
});

test("a repeated event is stored once, also with concurrent repetitions", async () => {
  const { server, token } = shared;
  const { id, url } = await newWebhook(server, token);
  const headers = { "x-github-delivery": "72d3162e-cc78-11e3-81ab-4c9367dc0958" };
  const answers = await Promise.all(Array.from({ length: 20 }, () => post(url, "{}", headers)));
  assert.ok(answers.every(({ status }) => status === 202));
  assert.equal(new Set(answers.map(({ json }) => json["id"])).size, 1);
  assert.equal(answers.filter(({ json }) => json["duplicate"] === true).length, 19);
  const events = await allEvents(server, token, id);
  assert.deepEqual(
    events.map(({ duplicates }) => duplicates),
    [19],
  );
});

test("events are searched by type, header, pointer and text, and found by SQL", async () => {
  const { server, token } = shared;
  const { id, url } = await newWebhook(server, token);
  const first = await acceptedEvent(url, '{"type":"order.paid","order":{"id":17}}', {
    ...JSON_TYPE,
    "x-shop": "north",
  });
  const second = await acceptedEvent(url, '{"type":"order.sent","note":"By TRAIN"}', JSON_TYPE);
  const found = async (search: string): Promise<string[]> => {
    const answer = await server.call<{ items: Event[] }>("GET", `/v1/webhooks/${id}/events?${search}`, { token });
    assert.equal(answer.status, 200, answer.text);
    return answer.body.items.map((event) => event.id);
  };
  assert.deepEqual(await found("type=order.paid"), [first]);
  assert.deepEqual(await found("header=X-Shop:north"), [first]);
  assert.deepEqual(await found(`pointer=${encodeURIComponent("/order/id=17")}`), [first]);
  assert.deepEqual(await found("q=by%20train"), [second]);
  assert.deepEqual(await found("limit=1"), [second]);
  assert.deepEqual(await found("to=2020-01-01T00:00:00Z"), []);
  const sql = `SELECT id, type, json->'order'->>'id' AS number FROM webhook_events WHERE webhook_id = '${id}' ORDER BY id`;
  assert.deepEqual(await rows(server, token, sql), [
    { id: first, type: "order.paid", number: "17" },
    { id: second, type: "order.sent", number: null },
  ]);
});

test("a poll waits for an event, and a stream continues at its position", async () => {
  const { server, token } = shared;
  const { id, url } = await newWebhook(server, token);
  const waiting = server.call<{ items: Event[] }>("GET", `/v1/webhooks/${id}/poll?after=now&wait_s=30`, { token });
  const shown: string[] = [];
  const source = new EventSource(`${server.origin}/v1/webhooks/${id}/stream`, {
    fetch: (input, init) => fetch(input, { ...init, headers: { ...init.headers, authorization: `Bearer ${token}` } }),
  });
  try {
    source.addEventListener("event", (event) => shown.push((JSON.parse(String(event.data)) as Event).id));
    await new Promise((resolve) => source.addEventListener("open", resolve));
    const ids = [await acceptedEvent(url, "1"), await acceptedEvent(url, "2"), await acceptedEvent(url, "3")];
    assert.deepEqual((await waiting).body.items[0]?.id, ids[0]);
    await eventually("three events", () => (shown.length >= 3 ? true : null));
    assert.deepEqual(shown, ids);
    const [first] = await allEvents(server, token, id);
    const control = new AbortController();
    const again = await fetch(`${server.origin}/v1/webhooks/${id}/stream`, {
      headers: { authorization: `Bearer ${token}`, "last-event-id": String(first?.cursor) },
      signal: control.signal,
    });
    let text = "";
    for await (const chunk of again.body ?? []) {
      text += Buffer.from(chunk).toString();
      if (text.includes(String(ids[2]))) break;
    }
    control.abort();
    assert.ok(text.includes(String(ids[1])) && !text.includes(String(ids[0])));
  } finally {
    source.close();
  }
});

test("a consumer's events are leased to one reader, and come again without an acknowledgement", async () => {
  const { server, token } = shared;
  const { id, url } = await newWebhook(server, token);
  const path = `/v1/webhooks/${id}/consumers`;
  assert.equal((await server.call("POST", path, { token, json: { name: "billing", from: "oldest" } })).status, 201);
  const ids = [await acceptedEvent(url, "1"), await acceptedEvent(url, "2"), await acceptedEvent(url, "3")];
  const claim = (json: object) =>
    server.call<{ lease_id: string; items: Event[] }>("POST", `${path}/billing/claim`, { token, json });
  const done = (json: object) => server.call("POST", `${path}/billing/acknowledge`, { token, json });
  const first = (await claim({ limit: 2 })).body;
  assert.deepEqual(
    first.items.map((event) => event.id),
    ids.slice(0, 2),
  );
  refused(await claim({}), 409, "conflict");
  assert.equal((await done({ lease_id: first.lease_id, cursor: first.items[0]?.cursor })).status, 200);
  const short = (await claim({ lease_s: 1 })).body;
  assert.deepEqual(
    short.items.map((event) => event.id),
    ids.slice(1),
  );
  const again = await eventually("the lease to end", async () => {
    const answer = await claim({});
    return answer.status === 200 ? answer.body : null;
  });
  assert.deepEqual(
    again.items.map((event) => event.id),
    ids.slice(1),
  );
  refused(await done({ lease_id: short.lease_id }), 409, "conflict");
  assert.equal((await done({ lease_id: again.lease_id })).status, 200);
  assert.deepEqual((await claim({})).body.items, []);
});

test("events are forwarded signed and filtered, retried after a refusal, and sent again on request", async () => {
  const { server, token } = shared;
  const { id, url } = await newWebhook(server, token);
  const receiver = await startReceiver();
  const ofEvent = (event: string): Received[] =>
    receiver.received.filter(({ headers }) => headers["webhook-id"] === event);
  try {
    const filter = { types: ["order.paid"] };
    const made = await newDestination(server, token, id, { url: receiver.url, filter });
    receiver.answer(503);
    await acceptedEvent(url, '{"type":"order.sent"}', JSON_TYPE);
    const body = '{"type": "order.paid",  "n": 1}';
    const event = await acceptedEvent(url, body, JSON_TYPE);
    await eventually("the first attempt", () => (ofEvent(event).length > 0 ? true : null));
    receiver.answer(204);
    await eventually("a second attempt", () => (ofEvent(event).length > 1 ? true : null), 90_000);
    for (const { headers, body: sent } of receiver.received) {
      assert.equal(sent, body, "the unchanged bytes");
      assert.ok(new Webhook(made.secret).verify(sent, headers as Record<string, string>));
      new SvixWebhook(made.secret).verify(sent, headers as Record<string, string>);
      assert.throws(() => new SvixWebhook(made.secret).verify(`${sent} `, headers as Record<string, string>));
    }
    assert.equal(receiver.received.length, ofEvent(event).length, "events that do not match are not sent");
    const before = ofEvent(event).length;
    const replay = await server.call("POST", `/v1/webhooks/${id}/events/${event}/replay`, { token, json: {} });
    assert.deepEqual([replay.status, replay.body], [202, { count: 1 }]);
    await eventually("the replay", () => (ofEvent(event).length > before ? true : null));
  } finally {
    await receiver.close();
  }
});

test("a destination that answers 410 is stopped, audited, and continues from its dead letters", async () => {
  const { server, token } = shared;
  const { id, url } = await newWebhook(server, token);
  const receiver = await startReceiver();
  try {
    const made = await newDestination(server, token, id, { url: receiver.url, ordered: true });
    const path = `/v1/webhooks/${id}/destinations/${made.id}`;
    receiver.answer(410);
    await acceptedEvent(url, "1");
    await eventually("the destination to be stopped", async () => {
      const { body } = await server.call("GET", path, { token });
      return body["state"] === "stopped" ? true : null;
    });
    await acceptedEvent(url, "2");
    const audit = await server.call<{ items: { action: string }[] }>("GET", "/v1/audit?limit=20", { token });
    assert.ok(audit.body.items.some(({ action }) => action === "webhook.destination.stop"));
    const dead = await server.call<{ items: unknown[] }>("GET", `${path}/deliveries?status=dead`, { token });
    assert.equal(dead.body.items.length, 1);
    receiver.answer(200);
    await server.call("POST", `${path}/replay`, { token, json: {} });
    assert.equal((await server.call("PATCH", path, { token, json: { enabled: true } })).status, 200);
    const bodies = (): string[] => receiver.received.map(({ body }) => body);
    await eventually("both events", () => (bodies().includes("2") ? true : null));
    // At least once: a run that a change ends may have sent one already.
    assert.match(bodies().join(""), /^1{2,}2$/);
  } finally {
    await receiver.close();
  }
});

test("a paused webhook and a flooded one answer with Retry-After", async () => {
  const { server, token } = shared;
  const { id, url } = await newWebhook(server, token);
  await server.call("PATCH", `/v1/webhooks/${id}`, { token, json: { enabled: false } });
  const paused = await post(url, "{}");
  assert.deepEqual([paused.status, paused.headers.get("retry-after")], [503, "60"]);
  await server.call("PATCH", `/v1/webhooks/${id}`, { token, json: { enabled: true } });
  const flood = await Promise.all(Array.from({ length: 100 }, () => post(url, "{}")));
  const limited = flood.filter(({ status }) => status === 429);
  assert.ok(flood.every(({ status }) => status === 202 || status === 429));
  assert.ok(limited.length > 0, "nothing was limited");
  for (const { headers } of limited) assert.ok(Number(headers.get("retry-after")) >= 1);
});

test("only listed addresses may send, and the rejections name the address", async () => {
  const { server, token } = shared;
  const { id, url } = await newWebhook(server, token, { allowed_ips: ["192.0.2.0/24", "2001:db8::/32"] });
  const refusal = await post(url, "{}");
  assert.deepEqual([refusal.status, refusal.json["code"]], [401, "webhook_refused"]);
  const path = `/v1/webhooks/${id}`;
  const { body } = await server.call<{ items: { reason: string }[] }>("GET", `${path}/rejections`, { token });
  assert.equal(body.items[0]?.reason, "the address 127.0.0.1 is not among those that may send");
  await server.call("PATCH", path, { token, json: { allowed_ips: ["192.0.2.0/24", "127.0.0.0/8"] } });
  await acceptedEvent(url, "{}");
});

test("a destination gets at most its rate of requests, and old events again on request", async () => {
  const { server, token } = shared;
  const { id, url } = await newWebhook(server, token);
  const receiver = await startReceiver();
  try {
    const made = await newDestination(server, token, id, { url: receiver.url, rate_per_second: 10 });
    const path = `/v1/webhooks/${id}/destinations/${made.id}`;
    for (let n = 0; n < 20; n++) await acceptedEvent(url, String(n));
    const bodies = (): Set<string> => new Set(receiver.received.map(({ body }) => body));
    await eventually("twenty events", () => (bodies().size === 20 ? true : null));
    const times = receiver.received.map(({ atMs }) => atMs);
    const tookMs = Math.max(...times) - Math.min(...times);
    assert.ok(tookMs > 1000, `twenty requests at ten a second came within ${tookMs} ms`);
    const events = await allEvents(server, token, id);
    const [from, to] = [events[5], events[8]].map((event) => event?.received_at);
    const wanted = events.filter((event) => event.received_at >= String(from) && event.received_at < String(to));
    const before = receiver.received.length;
    const replay = await server.call("POST", `${path}/replay`, { token, json: { from, to } });
    assert.deepEqual([replay.status, replay.body], [202, { count: wanted.length }]);
    const again = (): Set<string> => new Set(receiver.received.slice(before).map(({ body }) => body));
    await eventually("the events of that time", () => (again().size === wanted.length ? true : null));
    assert.deepEqual([...again()].toSorted(), wanted.map((event) => String(event.body)).toSorted());
  } finally {
    await receiver.close();
  }
});

test("an organization that exhausts its quota of events gets an error, and others are not affected", async () => {
  const { server, home } = shared;
  const other = await server.bootstrap({ org: "hoarder" });
  const piece = "x".repeat(1024 * 1024);
  const statuses: number[] = [];
  for (let n = 0; n < 9; n++) statuses.push((await post(other.webhook.url, piece)).status);
  assert.deepEqual(statuses.slice(0, 8), Array<number>(8).fill(202));
  const full = await eventually("the quota to be reached", async () => {
    const answer = await post(other.webhook.url, "one more");
    return answer.status === 202 ? null : answer;
  });
  assert.deepEqual([full.status, full.json["code"]], [429, "quota_exceeded"]);
  assert.equal(full.headers.get("retry-after"), "60");
  assert.match(String(full.json["detail"]), /keep them for fewer days, or delete webhooks/);
  await acceptedEvent(home.webhook.url, "{}");
});
