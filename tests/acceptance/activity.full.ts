/** Activity of credentials: counted on every service, kept over a restart, and shown with the organization's usage. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HeadBucketCommand } from "@aws-sdk/client-s3";
import { sdkClient } from "../fixtures/s3-client.ts";
import { s3EndpointOf } from "../fixtures/s3.ts";
import { basic } from "../fixtures/http.ts";
import { ALL_SCOPES } from "../fixtures/scopes.ts";
import { showLogs, startServer, type Bootstrap, type Client, type Server } from "../fixtures/server.ts";
import { EXAMPLES, ingested, rows } from "../fixtures/telemetry.ts";

interface Activity {
  readonly last_hour: { readonly requests: number; readonly refused: number };
  readonly last_day: { readonly requests: number; readonly refused: number };
  readonly by_address: readonly { readonly ip: string | null; readonly user_agent: string | null }[];
  readonly by_service: readonly { readonly service: string; readonly requests: number }[];
}

interface Usage {
  readonly requests_last_day: readonly { readonly service: string; readonly requests: number }[];
  readonly services: { readonly telemetry: { readonly rows: Readonly<Record<string, number>> } };
  readonly members: number;
}

const dataDir = mkdtempSync(join(tmpdir(), "mooring-activity-"));
let server: Server | undefined;
let home: Bootstrap;
let shipper: Client & { readonly id: string };
let token: string;

showLogs(() => [server]);
before(async () => {
  server = await startServer({ dataDir });
  home = await server.bootstrap();
  const json = { name: "shipper", scopes: ALL_SCOPES.filter((scope) => scope !== "audit:read") };
  const made = await server.call<Client & { id: string }>("POST", "/v1/credentials", {
    token: await server.token(home.credential),
    json,
  });
  assert.equal(made.status, 201, made.text);
  shipper = made.body;
  await useEverything(server, home);
  await server.stop();
  server = await startServer({ dataDir });
  token = await server.token(home.credential);
});
after(async () => {
  await server?.dispose();
  rmSync(dataDir, { recursive: true, force: true });
});

/** Sends one request to each service, and two to telemetry. */
async function useEverything(on: Server, { s3 }: Bootstrap): Promise<void> {
  const own = await on.token(shipper);
  await ingested(on, own, "logs", [EXAMPLES.logs]);
  await ingested(on, own, "metrics", [EXAMPLES.metrics]);
  await rows(on, own, "select 1 as one");
  for (const path of ["/v1/me", "/v1/audit", "/v1/files", "/v1/webhooks", "/v1/alerts"])
    await on.call("GET", path, { token: own });
  const signedIn = await on.call("GET", "/v2/", { headers: basic(shipper.client_id, shipper.client_secret) });
  assert.equal(signedIn.status, 200, signedIn.text);
  const client = sdkClient(await s3EndpointOf(on, home));
  await client.send(new HeadBucketCommand({ Bucket: s3.bucket }));
  client.destroy();
}

function running(): Server {
  assert.ok(server !== undefined);
  return server;
}

test("a credential's requests are there after a restart, by service and address", async () => {
  const { status, body, text } = await running().call<Activity>("GET", `/v1/credentials/${shipper.id}/activity`, {
    token,
  });
  assert.equal(status, 200, text);
  const counted = Object.fromEntries(body.by_service.map(({ service, requests }) => [service, requests]));
  const once = { query: 1, files: 1, webhooks: 1, alerts: 1, registry: 1, oauth: 1 };
  assert.deepEqual(counted, { ...once, telemetry: 2, organization: 2 });
  assert.equal(body.last_day.refused, 1, "the audit log");
  assert.deepEqual(body.last_hour, body.last_day);
  assert.ok(body.by_address.every(({ ip }) => ip === "127.0.0.1"));
});

test("an S3 key's requests are there too", async () => {
  const path = `/v1/s3/keys/${home.s3.access_key_id}/activity`;
  const { status, body, text } = await running().call<Activity>("GET", path, { token });
  assert.equal(status, 200, text);
  assert.deepEqual(body.by_service, [{ service: "s3", requests: 1 }]);
  assert.match(body.by_address[0]?.user_agent ?? "", /aws-sdk-js/);
});

test("the organization's usage has all requests together", async () => {
  const { status, body, text } = await running().call<Usage>("GET", "/v1/usage", { token });
  assert.equal(status, 200, text);
  const services = new Set(body.requests_last_day.map(({ service }) => service));
  for (const service of ["telemetry", "query", "s3", "registry"]) assert.ok(services.has(service), service);
  assert.deepEqual(body.services.telemetry.rows, { logs: 1, metrics: 1, traces: 0 });
  assert.equal(body.members, 1);
});

test("the actors with a permission include the S3 key", async () => {
  const path = "/v1/access?permission=registry:push&project=shop";
  const { body, text } = await running().call<{ credentials: { id: string; allowed: boolean }[] }>("GET", path, {
    token,
  });
  assert.ok(
    body.credentials.some(({ id, allowed }) => id === shipper.id && allowed),
    text,
  );
});
