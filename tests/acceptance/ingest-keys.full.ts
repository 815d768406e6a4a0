/** Ingest keys: the places where senders put them, their limits, their end, and that they can do nothing else. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { postForm, refused, type Answer, type Problem } from "../fixtures/http.ts";
import { absentValues, bodyOf, queryOf } from "../fixtures/operation-requests.ts";
import { pathOf, publishedOperations, type Operation } from "../fixtures/operations.ts";
import { eventually } from "../fixtures/process.ts";
import { s3UrlOf } from "../fixtures/s3.ts";
import { useSharedServer, type Json } from "../fixtures/server.ts";
import { logEntry, query } from "../fixtures/telemetry.ts";

interface Key {
  readonly id: string;
  readonly key: string;
}

const shared = useSharedServer();
const base64 = (text: string): string => Buffer.from(text).toString("base64");
const bearer = (key: string): Record<string, string> => ({ authorization: `Bearer ${key}` });

async function made(json: Json = {}): Promise<Key> {
  const body = { name: "shipper", project: shared.home.project.slug, ...json };
  const answer = await shared.server.call<Key>("POST", "/v1/ingest-keys", { token: shared.token, json: body });
  assert.equal(answer.status, 201, answer.text);
  assert.match(answer.body.key, /^mrik_\w{49}$/);
  return answer.body;
}

function change(method: string, path: string, json?: Json): Promise<Answer<Record<string, unknown>>> {
  return shared.server.call(method, path, { token: shared.token, ...(json === undefined ? {} : { json }) });
}

/** Sends one entry. Returns its message with the answer. */
async function send(
  headers: Record<string, string>,
  extra: Json = {},
): Promise<{ text: string; answer: Answer<Problem> }> {
  const text = `m-${randomUUID()}`;
  const json = { entries: [logEntry(text, extra)] };
  return { text, answer: await shared.server.call<Problem>("POST", "/v1/ingest/logs", { headers, json }) };
}

async function accepted(headers: Record<string, string>, extra: Json = {}): Promise<string> {
  const { text, answer } = await send(headers, extra);
  assert.equal(answer.status, 202, answer.text);
  return text;
}

const PLACES: Readonly<Record<string, (key: string) => Record<string, string>>> = {
  Bearer: bearer,
  "bearer in lower case": (key) => ({ authorization: `bearer  ${key}` }),
  "Basic as the password": (key) => ({ authorization: `Basic ${base64(`4711:${key}`)}` }),
  "Basic as the user": (key) => ({ authorization: `Basic ${base64(`${key}:`)}` }),
  ApiKey: (key) => ({ authorization: `ApiKey ${key}` }),
  "ApiKey with an id": (key) => ({ authorization: `ApiKey ${base64(`any:${key}`)}` }),
  Splunk: (key) => ({ authorization: `Splunk ${key}` }),
  "X-Api-Key": (key) => ({ "x-api-key": key }),
  "Api-Key": (key) => ({ "api-key": key }),
  "DD-API-KEY": (key) => ({ "dd-api-key": key }),
  "X-Amz-Firehose-Access-Key": (key) => ({ "x-amz-firehose-access-key": key }),
};

test("a key works in every place, and its rows are in its project", async () => {
  const { id, key } = await made();
  const texts: string[] = [];
  for (const place of Object.values(PLACES)) texts.push(await accepted(place(key)));
  const otlp = await shared.server.call("POST", "/otlp/v1/logs", {
    headers: { "x-api-key": key },
    json: { resourceLogs: [] },
  });
  assert.equal(otlp.status, 200, otlp.text);
  const list = texts.map((text) => `'${text}'`).join(", ");
  const found = await query<{ n: number }>(
    shared.server,
    shared.token,
    `select count(*) as n from logs where project_id = '${shared.home.project.id}' and message in (${list})`,
  );
  assert.equal(Number(found.body.rows[0]?.n), texts.length, found.text);
  await eventually(
    "the last use",
    async () => {
      const { body } = await change("GET", `/v1/ingest-keys/${id}`);
      return body["last_used_at"] === null ? null : true;
    },
    15_000,
  );
});

test("another secret is 401 in every place, and names the remedy", async () => {
  const wrong = (await made()).key.replace(/.{8}$/, "00000000");
  for (const [name, place] of Object.entries(PLACES)) {
    const { answer } = await send(place(wrong));
    const problem = refused(answer, 401, "unauthorized");
    assert.match(problem.detail, /mooring ingest-key create/, name);
  }
  for (const headers of [{}, { authorization: "Basic YTpi" }, { "x-api-key": "x" }] as Record<string, string>[])
    assert.match(refused((await send(headers)).answer, 401, "unauthorized").detail, /Send an ingest key/);
});

test("a key is limited to its services, addresses and rate", async () => {
  const { key } = await made({ resources: { services: ["checkout"] } });
  await accepted(bearer(key), { service: "checkout" });
  refused((await send(bearer(key), { service: "other" })).answer, 400, "invalid_body", ["/entries/0/service"]);
  const elsewhere = await made({ allowed_addresses: ["192.0.2.0/24"] });
  refused((await send(bearer(elsewhere.key))).answer, 403, "address_not_allowed");
  const slow = await made({ requests_per_second: 1 });
  const answers = [];
  for (let i = 0; i < 12; i++) answers.push((await send(bearer(slow.key))).answer);
  const last = answers.find(({ status }) => status === 429);
  assert.ok(last !== undefined, "no request was limited");
  assert.equal(last.headers.get("retry-after"), "1");
});

test("a key of pages is only for their origins", async () => {
  const { key } = await made({ origins: ["https://*.example.com", "http://localhost:3000"] });
  for (const origin of ["https://app.example.com", "http://localhost:3000"]) await accepted({ ...bearer(key), origin });
  for (const origin of ["https://example.com", "https://a.b.example.com", "https://app.example.com.evil.org", "null"])
    refused((await send({ ...bearer(key), origin })).answer, 403, "cross_site");
  refused((await send(bearer(key))).answer, 403, "cross_site");
});

test("a page of an origin that a key names may send, and reads answers and errors", async () => {
  const origin = "https://shop.example.net";
  const preflight = (path: string, from: string): Promise<Response> =>
    fetch(shared.server.origin + path, {
      method: "OPTIONS",
      headers: {
        origin: from,
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization,content-type",
      },
    });
  const paths = ["/v1/ingest/logs", "/otlp/v1/logs", "/otlp/v1/metrics", "/otlp/v1/traces", "/v1/traces"];
  for (const path of paths) assert.equal((await preflight(path, origin)).status, 403, path);
  const { id, key } = await made({ origins: ["https://*.example.net"] });
  const opened = async (): Promise<Response | null> => {
    const answer = await preflight("/v1/ingest/logs", origin);
    return answer.status === 204 ? answer : null;
  };
  const first = await eventually("the preflight to be allowed", opened, 5_000, 50);
  assert.equal(first.headers.get("access-control-allow-origin"), origin);
  assert.equal(first.headers.get("access-control-allow-headers"), "authorization,content-type");
  assert.equal(first.headers.get("access-control-allow-credentials"), null);
  for (const path of paths) {
    assert.equal((await preflight(path, origin)).status, 204, path);
    assert.equal((await preflight(path, "https://example.org")).status, 403, path);
  }
  const sent = await send({ ...bearer(key), origin });
  assert.deepEqual([sent.answer.status, sent.answer.headers.get("access-control-allow-origin")], [202, origin]);
  const refusal = (await send({ ...bearer(`${key}x`), origin })).answer;
  assert.deepEqual([refusal.status, refusal.headers.get("access-control-allow-origin")], [401, origin]);
  assert.equal(
    (await send({ ...bearer(shared.token), origin: "https://example.org" })).answer.headers.get(
      "access-control-allow-origin",
    ),
    null,
  );
  assert.equal((await change("DELETE", `/v1/ingest-keys/${id}`)).status, 200);
  assert.equal((await preflight("/v1/ingest/logs", origin)).status, 403);
});

test("a rotation leaves the old secret until the overlap ends, and a revocation ends both", async () => {
  const first = await made();
  await accepted(bearer(first.key));
  const rotate = (seconds: number) =>
    change("POST", `/v1/ingest-keys/${first.id}/rotate`, { overlap_seconds: seconds });
  const second = String((await rotate(60)).body["key"]);
  for (const key of [first.key, second]) await accepted(bearer(key));
  const third = String((await rotate(1)).body["key"]);
  refused((await send(bearer(first.key))).answer, 401, "unauthorized");
  await accepted(bearer(third));
  const ended = async (): Promise<true | null> => ((await send(bearer(second))).answer.status === 401 ? true : null);
  await eventually("the overlap to end", ended, 5_000, 50);
  const revoked = await change("DELETE", `/v1/ingest-keys/${first.id}?reason=leak`);
  assert.deepEqual([revoked.status, revoked.body["propagated"]], [200, true], revoked.text);
  assert.match(refused((await send(bearer(third))).answer, 401, "unauthorized").detail, /was revoked/);
});

test("an expired key is 401, and the audit log and the activity count its refusals", async () => {
  const { id, key } = await made({ expires_at: new Date(Date.now() + 1_500).toISOString() });
  const ended = async (): Promise<true | null> => ((await send(bearer(key))).answer.status === 401 ? true : null);
  await eventually("the key to expire", ended, 5_000, 50);
  assert.match(refused((await send(bearer(key))).answer, 401, "unauthorized").detail, /has expired/);
  await eventually(
    "the entry of the audit log",
    async () => {
      const { body } = await change("GET", "/v1/audit?action=token.refuse&limit=50");
      const items = body["items"] as { target: { id: string } | null; detail: { reason: string } }[];
      return items.some(({ target, detail }) => target?.id === id && detail.reason === "expired") ? true : null;
    },
    5_000,
  );
  const { body } = await change("GET", `/v1/credentials/${id}/activity`);
  assert.ok((body["last_hour"] as { refused: number }).refused >= 2, JSON.stringify(body));
});

const OTHERS = publishedOperations().filter(({ id, scopes }) => scopes !== null && id !== "ingest");

test("a key is refused by every other published operation, in every form", async () => {
  const { key } = await made();
  assert.ok(OTHERS.length > 150, `only ${OTHERS.length} operations`);
  const perform = (operation: Operation, headers: Record<string, string>): Promise<Answer<Problem>> => {
    const json = bodyOf(operation);
    const path = pathOf(operation, absentValues(operation)) + queryOf(operation);
    return shared.server.call<Problem>(operation.method, path, { headers, ...(json === undefined ? {} : { json }) });
  };
  for (const operation of OTHERS) {
    refused(await perform(operation, bearer(key)), 401, "invalid_token");
    refused(await perform(operation, { authorization: `Basic ${base64(`${key}:${key}`)}` }), 401, "unauthorized");
    refused(await perform(operation, { "x-api-key": key }), 401, "unauthorized");
  }
});

test("a key is refused by the token endpoint, the registry, and the S3 gateway", async () => {
  const { id, key } = await made();
  const { body } = await change("GET", `/v1/credentials/${id}`);
  const form = { grant_type: "client_credentials", client_id: String(body["client_id"]), client_secret: key };
  assert.equal((await postForm(shared.server.origin, "/oauth/token", form)).status, 401);
  const s3 = await s3UrlOf(shared.server);
  for (const authorization of [`Bearer ${key}`, `Basic ${base64(`${form.client_id}:${key}`)}`]) {
    const registry = await fetch(`${shared.server.origin}/v2/`, { headers: { authorization } });
    assert.equal(registry.status, 401, await registry.text());
    const buckets = await fetch(s3, { headers: { authorization } });
    assert.match(`${buckets.status} ${await buckets.text()}`, /^40[03] .*<Error>/s);
  }
});
