/** Alerts from outside: entries arrive, an alert fires within its schedule, and a receiver gets one signed message of it. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Webhook } from "standardwebhooks";
import { refused, type Answer } from "../fixtures/http.ts";
import { eventually } from "../fixtures/process.ts";
import { startReceiver, type Received, type Receiver } from "../fixtures/receiver.ts";
import { startServer, useServer, type Json } from "../fixtures/server.ts";
import { ingested, logEntry } from "../fixtures/telemetry.ts";

const shared = useServer({ settings: { webhooks_private_addresses: "allow" } });
const EVERY_S = 10;
let receiver: Receiver;

before(async () => {
  receiver = await startReceiver();
});
after(() => receiver.close());

interface Message {
  readonly type: string;
  readonly timestamp: string;
  readonly data: {
    readonly alert: { readonly id: string };
    readonly state: string;
    readonly sequence: number;
    readonly incident_id: string | null;
    readonly value: number | null;
    readonly window: { readonly from: string; readonly to: string } | null;
    readonly error: { readonly code: string } | null;
  };
}

function call<T = Json>(method: string, path: string, json?: unknown): Promise<Answer<T>> {
  return shared.server.call<T>(method, path, { token: shared.token, ...(json === undefined ? {} : { json }) });
}

async function made(path: string, json: unknown): Promise<Json> {
  const answer = await call("POST", path, json);
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}

let names = 0;
async function savedQuery(sql: string): Promise<string> {
  return String((await made("/v1/query/saved", { name: `query ${++names}`, sql }))["id"]);
}

/** Creates an alert on the errors of a service, as its users would. */
async function alertOn(service: string, change: Json = {}): Promise<{ id: string; secret: string }> {
  const sql = `select message from logs where service = '${service}' and level = 'error' and timestamp >= $from::timestamptz`;
  const alert = await made("/v1/alerts", {
    name: `errors of ${service}`,
    query_id: await savedQuery(sql),
    every_s: EVERY_S,
    window_s: 3600,
    condition: { operator: ">", threshold: 0 },
    url: receiver.url,
    ...change,
  });
  return { id: String(alert["id"]), secret: String(alert["secret"]) };
}

function logError(service: string): Promise<void> {
  const entry = logEntry("it broke", { level: "error", service, timestamp: new Date().toISOString() });
  return ingested(shared.server, shared.token, "logs", [entry]);
}

function messageOf({ body }: Received): Message {
  return JSON.parse(body) as Message;
}

function messagesOf(id: string): Received[] {
  return receiver.received.filter((each) => messageOf(each).data.alert.id === id);
}

/** Waits for `count` messages of the alert. Returns them. */
function waitForMessages(id: string, count: number): Promise<Received[]> {
  const seen = async (): Promise<Received[] | null> => (messagesOf(id).length >= count ? messagesOf(id) : null);
  return eventually(`${count} messages of ${id}`, seen, 3 * EVERY_S * 1000);
}

async function stateOf(id: string): Promise<string> {
  return String((await call("GET", `/v1/alerts/${id}`)).body["state"]);
}

/** Returns the items of one of the alert's lists, newest first. */
async function items(id: string, list: "deliveries" | "evaluations"): Promise<Json[]> {
  const answer = await call<{ items: Json[] }>("GET", `/v1/alerts/${id}/${list}`);
  assert.equal(answer.status, 200, answer.text);
  return answer.body.items;
}

function delivered(id: string, status: string): Promise<Json> {
  const reached = async (): Promise<Json | null> => {
    const [newest] = await items(id, "deliveries");
    return newest?.["status"] === status ? newest : null;
  };
  return eventually(`the delivery to be ${status}`, reached, 3 * EVERY_S * 1000);
}

function verified({ body, headers }: Received, secret: string): Message {
  return new Webhook(secret).verify(body, headers as Record<string, string>) as Message;
}

/** These wait for evaluations, which are at least ten seconds apart. */
describe("over several evaluations", { concurrency: true }, () => {
  test("after errors an alert fires within its schedule, the receiver gets one signed message, and it resolves", async () => {
    const { id, secret } = await alertOn("shop", { window_s: 15 });
    const evaluated = async (): Promise<true | null> => ((await items(id, "evaluations")).length > 0 ? true : null);
    await eventually("the first evaluation", evaluated);
    assert.equal(await stateOf(id), "ok");
    const startedMs = Date.now();
    await logError("shop");
    const [fired] = await waitForMessages(id, 1);
    assert.ok(fired !== undefined);
    assert.ok(fired.atMs - startedMs < (EVERY_S + 5) * 1000, `it took ${fired.atMs - startedMs} ms`);
    assert.equal(await stateOf(id), "firing");

    const { type, data } = verified(fired, secret);
    assert.deepEqual([type, data.state, data.value], ["alert.firing", "firing", 1]);
    assert.match(data.incident_id ?? "", /^inc_/);
    assert.equal(Date.parse(data.window?.to ?? "") - Date.parse(data.window?.from ?? ""), 15_000);
    assert.equal(fired.headers["content-type"], "application/json");

    const [, ended] = await waitForMessages(id, 2); // The entry leaves the window.
    assert.ok(ended !== undefined);
    const end = verified(ended, secret);
    assert.deepEqual([end.type, end.data.state, end.data.incident_id], ["alert.resolved", "ok", data.incident_id]);
    assert.equal(messagesOf(id).length, 2, "one message each");

    await delivered(id, "delivered");
    assert.deepEqual(
      (await items(id, "deliveries")).map((item) => [
        item["id"],
        item["type"],
        item["attempts"],
        item["response_status"],
      ]),
      [ended, fired].map((each) => [each.headers["webhook-id"], messageOf(each).type, 1, 200]),
    );
    const seen = (await items(id, "evaluations")).map((item) => `${String(item["outcome"])} ${String(item["state"])}`);
    assert.deepEqual(new Set(seen), new Set(["true firing", "false ok"]));
  });

  test("a column is compared, and a value that can't be compared is an error after three times", async () => {
    const query_id = await savedQuery("select 7 as seven, 'x' as word, null as nothing");
    const base = { query_id, every_s: EVERY_S, url: receiver.url };
    const watch = async (column: string, more: Json = {}): Promise<string> => {
      const condition = { column, operator: "==", threshold: 7 };
      return String((await made("/v1/alerts", { ...base, name: column, condition, ...more }))["id"]);
    };
    const seven = await watch("seven");
    const nothing = await watch("nothing", { no_data: "firing" });
    const faulty = { not_a_number: await watch("word"), column_missing: await watch("absent") };
    assert.equal(messageOf((await waitForMessages(seven, 1))[0] as Received).data.value, 7);
    assert.equal(messageOf((await waitForMessages(nothing, 1))[0] as Received).data.value, null);
    for (const [code, id] of Object.entries(faulty)) {
      const message = messageOf((await waitForMessages(id, 1))[0] as Received);
      assert.deepEqual([message.type, message.data.error?.code], ["alert.error", code]);
      const history = await items(id, "evaluations");
      assert.ok(history.length >= 3 && history.every((item) => item["outcome"] === "error"));
    }
  });

  test("an alert stops when its credential is revoked, reports that, and continues for a new author", async () => {
    const scopes = ["telemetry:read", "telemetry:write", "webhooks:write"];
    const author = await made("/v1/credentials", { name: "author", scopes });
    const client = { client_id: String(author["client_id"]), client_secret: String(author["client_secret"]) };
    const token = await shared.server.token(client);
    const condition = { operator: ">", threshold: 0 };
    const query_id = await savedQuery("select 1");
    const json = { name: "of another author", query_id, every_s: EVERY_S, condition, url: receiver.url };
    const alert = await shared.server.call("POST", "/v1/alerts", { token, json });
    assert.equal(alert.status, 201, alert.text);
    const id = String(alert.body["id"]);
    await waitForMessages(id, 1);
    assert.equal((await call("DELETE", `/v1/credentials/${String(author["id"])}`)).status, 200);
    const { type, data } = messageOf((await waitForMessages(id, 2))[1] as Received);
    assert.deepEqual([type, data.error?.code, data.value], ["alert.stopped", "author_gone", null]);
    assert.equal(await stateOf(id), "stopped");
    assert.equal((await call("PATCH", `/v1/alerts/${id}`, { description: "taken over" })).status, 200);
    assert.equal(messageOf((await waitForMessages(id, 3))[2] as Received).type, "alert.recovered");
    assert.equal(await stateOf(id), "firing");
  });
});

test("an altered message, another secret and an old time do not verify", async () => {
  const { id, secret } = await alertOn("tests");
  assert.equal((await call("POST", `/v1/alerts/${id}/test`)).status, 202);
  const [sent] = await waitForMessages(id, 1);
  assert.ok(sent !== undefined);
  assert.equal(verified(sent, secret).type, "alert.test");
  const other = `whsec_${Buffer.alloc(32, 1).toString("base64")}`;
  const { headers, body } = sent;
  assert.throws(() => verified(sent, other));
  assert.throws(() => verified({ ...sent, body: `${body} ` }, secret));
  assert.throws(() => verified({ ...sent, headers: { ...headers, "webhook-id": "msg_other" } }, secret));
  assert.throws(() => verified({ ...sent, headers: { ...headers, "webhook-timestamp": "1600000000" } }, secret));
});

test("during a rotation both secrets sign; without an overlap only the new one does", async () => {
  const { id, secret: first } = await alertOn("rotation");
  const rotate = async (overlap_s: number): Promise<string> =>
    String((await made(`/v1/alerts/${id}/rotate-secret`, { overlap_s }))["secret"]);
  const verifiers = async (count: number, secrets: readonly string[]): Promise<boolean[]> => {
    assert.equal((await call("POST", `/v1/alerts/${id}/test`)).status, 202);
    const sent = (await waitForMessages(id, count)).at(-1) as Received;
    return secrets.map((secret) => {
      try {
        verified(sent, secret);
        return true;
      } catch {
        return false;
      }
    });
  };
  const second = await rotate(3600);
  assert.deepEqual(await verifiers(1, [first, second]), [true, true]);
  const third = await rotate(0);
  assert.deepEqual(await verifiers(2, [first, second, third]), [false, false, true]);
});

test("a receiver that was down gets the same message again, with the same ID and a new time", async () => {
  const { id } = await alertOn("retries");
  receiver.answer(503);
  await call("POST", `/v1/alerts/${id}/test`);
  const [first] = await waitForMessages(id, 1);
  receiver.answer(200);
  const [, second] = await waitForMessages(id, 2);
  assert.equal(second?.headers["webhook-id"], first?.headers["webhook-id"]);
  assert.equal(second?.body, first?.body);
  assert.ok(Number(second?.headers["webhook-timestamp"]) > Number(first?.headers["webhook-timestamp"]));
  assert.equal((await delivered(id, "delivered"))["attempts"], 2);
});

test("a receiver that answers 410 gets nothing again", async () => {
  const { id } = await alertOn("gone");
  receiver.answer(410);
  await call("POST", `/v1/alerts/${id}/test`);
  await delivered(id, "dead");
  receiver.answer(200);
  assert.equal(messagesOf(id).length, 1);
});

test("a paused alert is not evaluated; a resumed one is at once", async () => {
  await logError("paused");
  const { id } = await alertOn("paused", { enabled: false });
  assert.equal(await stateOf(id), "paused");
  assert.equal((await items(id, "evaluations")).length, 0);
  assert.equal((await call("PATCH", `/v1/alerts/${id}`, { enabled: true })).status, 200);
  await waitForMessages(id, 1);
  assert.equal((await call("PATCH", `/v1/alerts/${id}`, { enabled: false })).status, 200);
  assert.equal(await stateOf(id), "paused");
});

test("a query of an alert can't be deleted; a deleted alert's history is deleted too", async () => {
  const query_id = await savedQuery("select 1");
  const { id } = await alertOn("deleted", { query_id });
  await waitForMessages(id, 1);
  refused(await call("DELETE", `/v1/query/saved/${query_id}`), 409, "conflict");
  assert.equal((await call("DELETE", `/v1/alerts/${id}`)).status, 204);
  assert.equal((await call("DELETE", `/v1/query/saved/${query_id}`)).status, 204);
  assert.equal((await call("GET", `/v1/alerts/${id}/deliveries`)).status, 404);
});

test("deleting a project deletes its queries and alerts", async () => {
  const project = await made("/v1/projects", { slug: "short-lived" });
  const query = await made("/v1/query/saved", { name: "of it", sql: "select 1", project: "short-lived" });
  const { id } = await alertOn("short-lived", { query_id: query["id"] });
  await waitForMessages(id, 1);
  assert.equal((await call("DELETE", `/v1/projects/${String(project["id"])}`)).status, 204);
  for (const path of [`/v1/alerts/${id}`, `/v1/query/saved/${String(query["id"])}`])
    refused(await call("GET", path), 404, "not_found");
});

test("without the setting an internal destination is refused", async () => {
  const strict = await startServer();
  try {
    const home = await strict.bootstrap();
    const token = await strict.token(home.credential);
    const query = await strict.call("POST", "/v1/query/saved", { token, json: { name: "one", sql: "select 1" } });
    const condition = { operator: ">", threshold: 0 };
    const json = { name: "inside", query_id: query.body["id"], every_s: 10, condition };
    const inside = ["http://example.com/", "https://127.0.0.1/", "https://169.254.169.254/", "https://[::1]/"];
    for (const url of [...inside, "file:///etc/passwd"]) {
      const answer = await strict.call("POST", "/v1/alerts", { token, json: { ...json, url } });
      refused(answer, 400, "invalid_body", ["/url"]);
    }
  } finally {
    await strict.dispose();
  }
});
