/**
 * Data of every interface: `fill` creates it on one server, and `holds` finds it on another server with the same data.
 */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { GetObjectCommand, PutObjectCommand } from "@aws-sdk/client-s3";
import { downloadUrl, fetched, sha256, uploaded, type FileBody } from "../fixtures/files.ts";
import { digestOf, repositoryOf } from "../fixtures/registry.ts";
import { sdkClient } from "../fixtures/s3-client.ts";
import type { Bootstrap, Client, Server } from "../fixtures/server.ts";
import { ingested, logEntry, rows } from "../fixtures/telemetry.ts";
import { acceptedEvent, allEvents, newWebhook } from "../fixtures/webhooks.ts";

const PASSWORD = "correct horse battery";
const PART_BYTES = 70_000;
const TUS = { "tus-resumable": "1.0.0" };

export interface Filled {
  readonly home: Bootstrap;
  /** A second credential with fewer permissions. */
  readonly reader: Client;
  readonly file: FileBody;
  readonly fileDigest: string;
  /** An upload of which one half is stored. */
  readonly half: { readonly path: string; readonly content: Buffer };
  readonly object: string;
  readonly layer: Buffer;
  readonly image: string;
  readonly webhook: { readonly id: string; readonly url: string };
  readonly alert: string;
}

export async function fill(server: Server, home: Bootstrap): Promise<Filled> {
  const token = await server.token(home.credential);
  const made = async (path: string, json: object): Promise<Record<string, unknown>> => {
    const answer = await server.call("POST", path, { token, json });
    assert.equal(answer.status, 201, answer.text);
    return answer.body;
  };
  await telemetry(server, token);
  await person(server, home);
  const content = randomBytes(PART_BYTES);
  const file = await uploaded(server, token, { filename: "kept ü.bin" }, content);
  const reader = await made("/v1/credentials", { name: "reader", scopes: ["telemetry:read"] });
  const webhook = await newWebhook(server, token, { project: home.project.slug });
  await acceptedEvent(webhook.url, '{"paid":true}', { "content-type": "application/json" });
  await made("/v1/projects", { slug: "old", name: "Old" });
  const archived = await server.call("POST", "/v1/projects/old/archive", { token });
  assert.equal(archived.status, 200, archived.text);
  const query = await made("/v1/query/saved", {
    name: "errors",
    sql: "select 1 from logs where timestamp >= $from::timestamptz",
  });
  const alert = await made("/v1/alerts", {
    name: "errors",
    query_id: query["id"],
    every_s: 60,
    window_s: 3600,
    condition: { operator: ">", threshold: 5 },
    url: "https://alerts.example.com/",
  });
  const layer = randomBytes(PART_BYTES);
  const repository = await repositoryOf(server, home.credential, `orgs/${home.org.slug}/${home.app.slug}`);
  return {
    home,
    reader: { client_id: String(reader["client_id"]), client_secret: String(reader["client_secret"]) },
    file,
    fileDigest: sha256(content),
    half: await halfUpload(server, token),
    object: await putObject(server, home),
    layer,
    image: await repository.image([layer], { tag: "v1" }),
    webhook,
    alert: String(alert["id"]),
  };
}

async function telemetry(server: Server, token: string): Promise<void> {
  const timestamp = "2026-11-20T08:00:00.123456Z";
  await ingested(server, token, "logs", [logEntry("kept", { timestamp, attributes: { "a\\b": 1, n: 3.5 } })]);
  await ingested(server, token, "metrics", [{ timestamp, name: "load", value: 1.25, tags: { host: "a" } }]);
  await ingested(server, token, "traces", [
    { timestamp, trace_id: "a".repeat(32), span_id: "b".repeat(16), name: "GET /", duration_ms: 12.5, status: "ok" },
  ]);
}

async function person(server: Server, home: Bootstrap): Promise<void> {
  const [, token = ""] = (home.owner.setup_url ?? "").split("#");
  const headers = { origin: server.origin };
  const done = await server.call("POST", "/api/setup", { headers, json: { token, name: "Ada", password: PASSWORD } });
  assert.equal(done.status, 201, done.text);
}

async function halfUpload(server: Server, token: string): Promise<Filled["half"]> {
  const content = randomBytes(2 * PART_BYTES);
  const headers = {
    ...TUS,
    "upload-length": String(content.length),
    "upload-metadata": `filename ${btoa("half.bin")}`,
  };
  const made = await server.call("POST", "/v1/uploads", { token, headers });
  assert.equal(made.status, 201, made.text);
  const { pathname: path } = new URL(made.headers.get("location") ?? "", server.origin);
  await appendTo(server, token, { path, offset: 0, part: content.subarray(0, PART_BYTES) });
  return { path, content };
}

async function appendTo(
  server: Server,
  token: string,
  { path, offset, part }: { path: string; offset: number; part: Uint8Array },
): Promise<void> {
  const headers = { ...TUS, "upload-offset": String(offset), "content-type": "application/offset+octet-stream" };
  const answer = await server.call("PATCH", path, { token, headers, raw: part });
  assert.equal(answer.status, 204, answer.text);
}

async function s3Of(server: Server, { s3 }: Bootstrap): Promise<ReturnType<typeof sdkClient>> {
  const { body } = await server.call<Record<string, string>>("GET", "/.well-known/mooring");
  const { access_key_id: accessKeyId, secret_access_key: secretAccessKey, region, bucket } = s3;
  return sdkClient({ url: body["s3_endpoint"] ?? "", region, accessKeyId, secretAccessKey, bucket });
}

async function putObject(server: Server, home: Bootstrap): Promise<string> {
  const content = randomBytes(PART_BYTES).toString("base64");
  const s3 = await s3Of(server, home);
  await s3.send(
    new PutObjectCommand({ Bucket: home.s3.bucket, Key: "a b/ü.txt", Body: content, Metadata: { kept: "yes" } }),
  );
  s3.destroy();
  return content;
}

/** Asserts that the server has all of it, that the credentials work, and that it accepts more. */
export async function holds(server: Server, filled: Filled): Promise<void> {
  const token = await server.token(filled.home.credential);
  await holdsTelemetry(server, filled);
  const { bytes } = await fetched(await downloadUrl(server, token, filled.file.id));
  assert.equal(sha256(bytes), filled.fileDigest);
  await holdsObject(server, filled);
  await holdsImage(server, filled);
  await acceptedEvent(new URL(new URL(filled.webhook.url).pathname, server.origin).href, '{"paid":false}');
  const events = await allEvents(server, token, filled.webhook.id);
  assert.ok(events.length >= 2, "the event that was kept, and the new one");
  const get = async (path: string): Promise<Record<string, unknown>> => {
    const answer = await server.call("GET", path, { token });
    assert.equal(answer.status, 200, `${path}: ${answer.text}`);
    return answer.body;
  };
  assert.notEqual((await get("/v1/projects/old"))["archived_at"], null);
  assert.equal((await get(`/v1/alerts/${filled.alert}`))["name"], "errors");
  const headers = { origin: server.origin };
  const json = { email: filled.home.owner.email, password: PASSWORD };
  const signedIn = await server.call("POST", "/api/sign-in/password", { headers, json });
  assert.equal(signedIn.status, 200, signedIn.text);
}

async function holdsTelemetry(server: Server, { reader }: Filled): Promise<void> {
  const token = await server.token(reader);
  const logs = await rows(server, token, "select timestamp, message, attributes from logs where message = 'kept'");
  assert.equal(logs.length, 1);
  assert.match(JSON.stringify(logs), /2026-11-20T08:00:00\.123456Z/);
  assert.match(JSON.stringify(logs), /3\.5/);
  assert.deepEqual(await rows(server, token, "select name, value from metrics where name = 'load'"), [
    { name: "load", value: 1.25 },
  ]);
  assert.deepEqual(await rows(server, token, "select name from traces where duration_ms = 12.5"), [{ name: "GET /" }]);
}

async function holdsObject(server: Server, { home, object }: Filled): Promise<void> {
  const s3 = await s3Of(server, home);
  const { Body, Metadata } = await s3.send(new GetObjectCommand({ Bucket: home.s3.bucket, Key: "a b/ü.txt" }));
  assert.equal(await Body?.transformToString(), object);
  assert.deepEqual(Metadata, { kept: "yes" });
  s3.destroy();
}

async function holdsImage(server: Server, { home, layer, image }: Filled): Promise<void> {
  const repository = await repositoryOf(server, home.credential, `orgs/${home.org.slug}/${home.app.slug}`);
  const manifest = await repository.call("GET", "manifests/v1");
  assert.equal(digestOf(manifest.content), image, manifest.content.toString().slice(0, 300));
  const blob = await repository.call("GET", `blobs/${digestOf(layer)}`);
  assert.deepEqual(blob.content, layer);
}

/** Completes the upload of which one half was stored. It is one file then. */
export async function completesHalf(server: Server, { home, half }: Filled): Promise<void> {
  const token = await server.token(home.credential);
  await appendTo(server, token, { path: half.path, offset: PART_BYTES, part: half.content.subarray(PART_BYTES) });
  const id = half.path.slice(half.path.lastIndexOf("/") + 1);
  const { bytes } = await fetched(await downloadUrl(server, token, id));
  assert.equal(sha256(bytes), sha256(half.content));
}
