/** An organization in use: at least one object of every kind that a page can show. */
import assert from "node:assert/strict";
import { putObject } from "../fixtures/buckets.ts";
import { uploaded } from "../fixtures/files.ts";
import { newClient, repositoryOf } from "../fixtures/registry.ts";
import type { Shared } from "../fixtures/server.ts";
import { ingested } from "../fixtures/telemetry.ts";
import { newDestination, newWebhook, acceptedEvent } from "../fixtures/webhooks.ts";

/** Names and texts of people and machines: plain ones for most tests, hostile ones for one test. */
export interface Words {
  readonly name: string;
  readonly message: string;
  readonly filename: string;
  readonly header: string;
  readonly label: string;
}

const PLAIN: Words = {
  name: "Checkout service of the shop",
  message: "card declined: issuer answered 05 for order 58211",
  filename: "report-q3.txt",
  header: "payments/2.1",
  label: "the shop's checkout",
};

const filled = new WeakSet<object>();

/** Creates objects of every kind in the first organization, once for each server. */
export async function fill(shared: Shared, words: Words = PLAIN): Promise<void> {
  if (filled.has(shared.server)) return;
  filled.add(shared.server);
  await telemetry(shared, words);
  await objects(shared, words);
  await access(shared, words);
  await webhooks(shared, words);
  await images(shared, words);
}

async function telemetry({ server, token }: Shared, { message, name }: Words): Promise<void> {
  const nowMs = Date.now();
  const at = (back: number): string => new Date(nowMs - back * 1000).toISOString();
  const trace = (i: number): string => i.toString(16).padStart(32, "a");
  const levels = ["info", "info", "info", "warn", "error", "debug"];
  const logs = Array.from({ length: 400 }, (_, i) => ({
    timestamp: at(i * 7),
    level: levels[i % levels.length],
    message: i % 5 === 0 ? message : `retrying charge ${i} of 5`,
    service: i % 3 === 0 ? "payments" : name,
    trace_id: trace(i % 40),
    attributes: {
      order: String(58_000 + i),
      issuer_code: "05",
      note: message,
      nested: { list: [1, 2, { deep: name }] },
    },
  }));
  const metrics = Array.from({ length: 400 }, (_, i) => ({
    timestamp: at(i * 9),
    name: i % 2 === 0 ? "http.server.duration" : "queue.length",
    value: 20 + 10 * Math.sin(i / 8),
    tags: { route: i % 4 === 0 ? "/orders" : name, method: "GET" },
  }));
  const traces = Array.from({ length: 40 }, (_, i) => i).flatMap((i) =>
    spansOf(trace(i), at(i * 60), { message, name }),
  );
  await ingested(server, token, "logs", logs);
  await ingested(server, token, "metrics", metrics);
  await ingested(server, token, "traces", traces);
}

function spansOf(traceId: string, timestamp: string, { message, name }: Pick<Words, "message" | "name">): object[] {
  const span = (index: number, parent: number | null, more: object): object => ({
    timestamp,
    trace_id: traceId,
    span_id: index.toString(16).padStart(16, "b"),
    ...(parent === null ? {} : { parent_span_id: parent.toString(16).padStart(16, "b") }),
    duration_ms: 40 / (index + 1),
    status: "ok",
    ...more,
  });
  return [
    span(0, null, { name: "POST /orders", service: "web" }),
    span(1, 0, { name, service: name }),
    span(2, 1, { name: "charge card", service: "payments", status: "error", attributes: { error: message } }),
  ];
}

async function objects({ server, token, home }: Shared, { filename, message }: Words): Promise<void> {
  const { id } = await uploaded(server, token, { filename }, "in the trash\n");
  const { status, text } = await server.call("DELETE", `/v1/files/${id}`, { token });
  assert.equal(status, 204, text);
  for (const content of ["an earlier version\n", `${message}\n`]) await uploaded(server, token, { filename }, content);
  for (const key of ["readme.txt", "year/2026/a.csv", filename])
    await putObject(server, token, { bucket: home.app.slug, key, content: message });
  for (const each of ["invoice-1.txt", "invoice-2.txt"]) await uploaded(server, token, { filename: each }, "1,2,3\n");
}

async function access({ server, token, home }: Shared, { name }: Words): Promise<void> {
  const created = [
    await server.call("POST", "/v1/credentials", {
      token,
      json: {
        name,
        scopes: ["telemetry:write", "files:read"],
        project: "shop",
        allowed_addresses: ["10.0.0.0/8", "2001:db8:1234:5678:9abc:def0:1234:5678"],
      },
    }),
    await server.call("POST", "/v1/s3/keys", { token, json: { name, scopes: ["s3:read", "s3:write"] } }),
    await server.call("POST", "/v1/ingest-keys", { token, json: { name, project: "shop" } }),
    await server.call("POST", "/v1/projects", { token, json: { slug: "ledger", name, environment: "staging" } }),
    await server.call("POST", "/v1/projects", { token, json: { slug: "attic", name, environment: "production" } }),
    await server.call("POST", "/v1/projects/attic/archive", { token }),
    await server.call("POST", "/v1/invitations", { token, json: { email: "grace@acme.example", role: "developer" } }),
    await server.call("PATCH", `/v1/apps/${home.app.id}`, { token, json: { name } }),
    await server.call("POST", "/v1/query/saved", {
      token,
      json: { name, sql: "SELECT level, count(*) FROM logs GROUP BY ALL" },
    }),
  ];
  for (const { status, text } of created) assert.ok(status === 200 || status === 201, text);
  const trust = await server.call("POST", `/v1/credentials/${String(created[0]?.body["id"])}/trusts`, {
    token,
    json: { name, issuer: "https://token.actions.githubusercontent.com", subject: "repo:acme/shop:ref:refs/heads/**" },
  });
  assert.equal(trust.status, 201, trust.text);
  await pending({ server, token }, name);
}

/** Creates a credential that waits for an approval. The policy is open again afterwards, as other tests expect it. */
async function pending({ server, token }: Pick<Shared, "server" | "token">, name: string): Promise<void> {
  const manager = await server.token(await newClient(server, token, ["credentials:write", "files:read"]));
  const setPolicy = (approval_required: boolean) =>
    server.call("PATCH", "/v1/organization", { token, json: { policy: { approval_required } } });
  await setPolicy(true);
  const made = await server.call("POST", "/v1/credentials", { token: manager, json: { name, scopes: ["files:read"] } });
  assert.equal(made.body["pending"], true, made.text);
  await setPolicy(false);
}

async function webhooks({ server, token, home }: Shared, { name, message, header }: Words): Promise<void> {
  const { url } = home.webhook;
  for (let i = 0; i < 12; i++)
    await acceptedEvent(url, JSON.stringify({ type: "order.paid", id: i, note: message, by: name }), {
      "content-type": "application/json",
      "user-agent": header,
      "x-note": header,
    });
  await newDestination(server, token, home.webhook.id, { name, url: "https://example.org/receive" });
  await newWebhook(server, token, { name });
}

async function images({ server, token, home }: Shared, { label, name }: Words): Promise<void> {
  const client = await newClient(server, token, ["registry:pull", "registry:push"]);
  const repository = await repositoryOf(server, client, `orgs/${home.org.slug}/${home.app.slug}`, "pull,push");
  const config = JSON.stringify({
    architecture: "amd64",
    os: "linux",
    config: { Labels: { "org.opencontainers.image.title": label, note: name } },
    rootfs: { type: "layers", diff_ids: [] },
    history: [{ created: "2026-11-20T08:00:00Z", created_by: label }],
  });
  for (const tag of ["1.0", "1.1", "latest"])
    await repository.image([`layer of ${tag}`, "shared layer"], { tag, config });
}
