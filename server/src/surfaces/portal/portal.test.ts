import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { after, before, beforeEach, test } from "node:test";
import { pino } from "pino";
import { SCOPES } from "@mooring/contract";
import { createIdempotency } from "#domain/idempotency/index.ts";
import { createIdentity, type Identity } from "#domain/identity/index.ts";
import { bootstrapOrganization, updateOrganization, SYSTEM, type Bootstrapped } from "#domain/organizations/index.ts";
import { createHttpHost, createHttpMetrics, createHttpServer, openListener, type Listener } from "#http/index.ts";
import { newSecret } from "#kernel/secrets.ts";
import { systemClock } from "#kernel/time.ts";
import { openMetadata, type MetadataStore } from "#stores/metadata/index.ts";
import { createPortalSurface } from "./index.ts";

const PASSWORD = "correct horse battery";
const ADDRESSES = {
  identity_url: "https://id.example",
  ingest_url: "https://in.example",
  query_url: 'https://sql.example/"><script>alert(1)</script>',
  storage_url: "https://files.example",
  registry_domain: "registry.example",
  s3_endpoint: "https://s3.example",
  webhooks_url: "https://hooks.example",
  portal_url: "https://portal.example",
};

let dataDir: string;
let metadata: MetadataStore;
let identity: Identity;
let listener: Listener;
let log = "";
let aheadMs = 0;
let organizations = 0;
const clock = { nowMs: () => systemClock.nowMs() + aheadMs };

before(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "mooring-portal-"));
  const sink = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      log += chunk.toString();
      done();
    },
  });
  const logger = pino({ level: "trace" }, sink);
  metadata = await openMetadata({ url: undefined, dataDir, clock });
  identity = await createIdentity({
    metadata,
    clock,
    dataDir,
    issuer: ADDRESSES.identity_url,
    audience: ADDRESSES.identity_url,
    log: logger,
  });
  listener = await openListener("127.0.0.1:0");
  const host = createHttpHost({
    authenticator: identity.authenticator,
    idempotency: createIdempotency({ metadata, clock }),
    clock,
    rateLimit: { perSecond: 1000, burst: 1000 },
  });
  await createHttpServer({
    listener,
    log: logger,
    clock,
    metrics: createHttpMetrics(),
    surfaces: [createPortalSurface({ host, identity, metadata, clock, addresses: ADDRESSES })],
    trustedProxies: [],
    slowRequestMs: 0,
  });
});

beforeEach(() => {
  aheadMs += 60_000; // the tries of the test before are forgotten
});

after(async () => {
  await listener.stop(0);
  await identity.stop();
  await metadata.close();
  rmSync(dataDir, { recursive: true });
});

function found(): Promise<Bootstrapped> {
  return bootstrapOrganization({ metadata, clock }, { org: `org-${++organizations}`, project: "web", app: "shop" });
}

async function setUp(
  body: unknown,
): Promise<{ status: number; headers: Headers; text: string; json: Record<string, unknown> }> {
  const response = await fetch(`http://${listener.address}/api/setup`, {
    method: "POST",
    headers: { "content-type": "application/json", "request-id": "request-of-test" },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: JSON.parse(text) as Record<string, unknown>,
  };
}

async function page(path: string): Promise<{ status: number; headers: Headers; text: string }> {
  const response = await fetch(`http://${listener.address}${path}`);
  return { status: response.status, headers: response.headers, text: await response.text() };
}

test("the set-up gives the owner a name, a password and a credential that works", async () => {
  const { organization, owner, setupToken } = await found();
  const answer = await setUp({ token: setupToken, name: "Ada", password: PASSWORD });
  assert.equal(answer.status, 201, answer.text);
  assert.equal(answer.headers.get("cache-control"), "no-store");
  const body = answer.json as {
    user: object;
    credential: { id: string; client_id: string; client_secret: string };
    organization: object;
  };
  assert.deepEqual(body.organization, { id: organization.id, slug: organization.slug });
  assert.deepEqual(body.user, { id: owner.id, email: owner.email, name: "Ada" });
  const state = await identity.signIn.authenticate({
    clientId: body.credential.client_id,
    clientSecret: body.credential.client_secret,
    ip: "127.0.0.1",
    requestId: "r",
  });
  assert.deepEqual([...state.scopes].toSorted(), [...SCOPES].toSorted());
});

test("the first credential holds what the policy allows", async () => {
  const { organization, setupToken } = await found();
  const change = { policy: { allowed_scopes: ["apps:read" as const] } };
  await updateOrganization({ metadata, clock }, SYSTEM, organization.id, { change, ifMatch: undefined });
  const answer = await setUp({ token: setupToken, name: "Ada", password: PASSWORD });
  assert.equal(answer.status, 201, answer.text);
});

test("used, expired, unknown and malformed links are answered alike, byte for byte", async () => {
  const used = await found();
  await setUp({ token: used.setupToken, name: "Ada", password: PASSWORD });
  const expired = await found();
  aheadMs += 24 * 3_600_000;
  const answers = [];
  for (const token of [used.setupToken, expired.setupToken, newSecret("mrst"), "x"]) {
    answers.push(await setUp({ token, name: "Ada", password: PASSWORD }));
  }
  assert.deepEqual([...new Set(answers.map((answer) => answer.status))], [404]);
  assert.equal(new Set(answers.map((answer) => answer.text)).size, 1);
});

test("a short password, no name and unknown members are refused with pointers, and the link still works", async () => {
  const { setupToken } = await found();
  const refused = await setUp({ token: setupToken, name: "", password: "short", role: "owner" });
  assert.equal(refused.json["code"], "invalid_body");
  const places = (refused.json["errors"] as { pointer: string }[]).map((place) => place.pointer);
  assert.deepEqual(places.toSorted(), ["/name", "/password", "/role"]);
  assert.equal((await setUp({ token: setupToken, name: "Ada", password: "x".repeat(12) })).status, 201);
});

test("tries are limited by address", async () => {
  const statuses: number[] = [];
  for (let i = 0; i < 11; i++) {
    const answer = await setUp({ token: "x", name: "Ada", password: PASSWORD });
    statuses.push(answer.status);
    if (answer.status === 429) assert.match(answer.headers.get("retry-after") ?? "", /^[0-9]+$/);
  }
  assert.deepEqual(statuses, [...Array.from({ length: 10 }, () => 404), 429]);
});

test("neither a token nor a password nor a secret reaches the log or the audit log", async () => {
  const { setupToken } = await found();
  const answer = await setUp({ token: setupToken, name: "Ada", password: PASSWORD });
  const { client_secret: secret } = answer.json["credential"] as { client_secret: string };
  const audit = JSON.stringify(await metadata.read.selectFrom("audit").selectAll().execute());
  assert.ok(log.includes("/api/setup"), "the request was not logged at all");
  for (const text of [setupToken ?? "", PASSWORD, secret]) {
    assert.ok(text !== "" && !log.includes(text) && !audit.includes(text));
  }
});

test("pages run nothing but our own script, and nowhere else", async () => {
  for (const path of ["/", "/setup", "/invitation"]) {
    const { status, headers, text } = await page(path);
    assert.equal(status, 200);
    assert.equal(headers.get("content-type"), "text/html; charset=utf-8");
    const policy = headers.get("content-security-policy") ?? "";
    assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self';/);
    assert.ok(!/unsafe|\*|https?:|data:/.test(policy), policy);
    assert.equal(headers.get("referrer-policy"), "no-referrer");
    assert.equal(headers.get("x-content-type-options"), "nosniff");
    assert.ok(
      !/<script(?![^>]*\bsrc=)|<style|\son[a-z]+=|\sstyle=|"javascript:/i.test(text),
      `${path} holds script or style of its own`,
    );
    assert.match(text, /<meta name="viewport" content="width=device-width, initial-scale=1" \/>/);
    assert.match(text, /<html lang="en">/);
    for (const [, asset = ""] of text.matchAll(/(?:src|href)="(\/[^"]+\.[a-z]+)"/g)) {
      assert.equal((await page(asset)).status, 200, asset);
    }
  }
});

test("the first page shows the addresses, as text only", async () => {
  const { text } = await page("/");
  for (const url of [ADDRESSES.identity_url, ADDRESSES.ingest_url]) assert.ok(text.includes(url));
  assert.ok(!text.includes("<script>alert"));
  assert.ok(text.includes("&#60;script&#62;alert(1)"));
  assert.ok(!text.includes("{{"));
});

test("addresses are served as JSON", async () => {
  const { status, headers, text } = await page("/.well-known/mooring");
  assert.equal(status, 200);
  assert.match(headers.get("content-type") ?? "", /^application\/json/);
  assert.deepEqual(JSON.parse(text), ADDRESSES);
});

test("pages are revalidated by their ETag, and take no other method", async () => {
  const { headers } = await page("/setup");
  const again = await fetch(`http://${listener.address}/setup`, {
    headers: { "if-none-match": headers.get("etag") ?? "" },
  });
  assert.equal(again.status, 304);
  const posted = await fetch(`http://${listener.address}/setup`, { method: "POST" });
  assert.equal(posted.status, 405);
  assert.match(posted.headers.get("allow") ?? "", /GET/);
});

test("the script never turns text into markup", async () => {
  const script = await readFile(new URL("./pages/first-run.mjs", import.meta.url), "utf8");
  assert.ok(!/innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function/.test(script));
});
