/** Requirements of an organization's policy for new credentials and keys: an expiry, and an approval. */
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { ListBucketsCommand } from "@aws-sdk/client-s3";
import { postForm, refused, type Answer } from "../fixtures/http.ts";
import { newClient } from "../fixtures/registry.ts";
import { sdkClient } from "../fixtures/s3-client.ts";
import { s3EndpointOf } from "../fixtures/s3.ts";
import { useSharedServer, type Client, type Json } from "../fixtures/server.ts";

const shared = useSharedServer();

type Made = Client & { id: string; pending: boolean; effective_scopes: string[] };

async function policy(change: Json): Promise<void> {
  const json = { policy: change };
  const answer = await shared.server.call("PATCH", "/v1/organization", { token: shared.token, json });
  assert.equal(answer.status, 200, answer.text);
}

beforeEach(() =>
  policy({ approval_required: false, require_expiry: false, credential_lifetime_days_max: null, allowed_scopes: null }),
);

/** Returns a token of a program that manages credentials, but is not an administrator. */
async function managerToken(): Promise<string> {
  const scopes = ["credentials:read", "credentials:write", "org:read", "files:read", "s3:read", "s3:write"];
  return shared.server.token(await newClient(shared.server, shared.token, scopes));
}

function create<T = Made>(token: string, path: string, json: Json): Promise<Answer<T>> {
  return shared.server.call<T>("POST", path, { token, json: { name: "wanted", ...json } });
}

function signIn({ client_id, client_secret }: Client): Promise<Answer> {
  return postForm(shared.server.origin, "/oauth/token", {
    grant_type: "client_credentials",
    client_id,
    client_secret,
  });
}

test("a program's credential waits until an administrator approves it", async () => {
  const { server, token } = shared;
  const manager = await managerToken();
  await policy({ approval_required: true });
  const made = await create(manager, "/v1/credentials", { scopes: ["files:read"] });
  assert.deepEqual([made.status, made.body.pending, made.body.effective_scopes], [201, true, []], made.text);
  const before = await signIn(made.body);
  assert.deepEqual([before.status, before.body["error"]], [400, "unauthorized_client"]);
  assert.match(String(before.body["error_description"]), /approval/);

  const listed = await server.call<{ items: Made[] }>("GET", "/v1/credentials", { token });
  assert.equal(listed.body.items.find(({ id }) => id === made.body.id)?.pending, true);
  const access = await server.call<{ credentials: { id: string; allowed: boolean; because: string }[] }>(
    "GET",
    "/v1/access?permission=files:read",
    { token },
  );
  const verdict = access.body.credentials.find(({ id }) => id === made.body.id);
  assert.deepEqual([verdict?.allowed, verdict?.because], [false, "it waits for an approval"]);

  const approve = `/v1/credentials/${made.body.id}/approve`;
  refused(await server.call("POST", approve, { token: manager }), 403, "insufficient_scope");
  const other = await server.bootstrap({ org: `${shared.home.org.slug}-rival`, project: "plant", app: "reactor" });
  refused(await server.call("POST", approve, { token: await server.token(other.credential) }), 404, "not_found");
  const approved = await server.call<Made>("POST", approve, { token });
  assert.deepEqual([approved.status, approved.body.pending], [200, false], approved.text);
  refused(await server.call("POST", approve, { token }), 409, "conflict");
  const access_token = String((await signIn(made.body)).body["access_token"]);
  assert.equal((await server.call("GET", "/v1/files", { token: access_token })).status, 200);

  const audit = await server.call<{ items: { action: string; detail: Json }[] }>(
    "GET",
    `/v1/audit?target=${made.body.id}&limit=100`,
    { token },
  );
  const found = (action: string): Json | undefined => audit.body.items.find((each) => each.action === action)?.detail;
  assert.equal(found("credential.create")?.["pending"], true);
  assert.equal(found("credential.approve")?.["scopes"], "files:read");
});

test("an actor who could not approve a credential can't widen it, and can narrow it", async () => {
  const { server, token } = shared;
  const manager = await managerToken();
  await policy({ approval_required: true });
  const made = await create(manager, "/v1/credentials", { scopes: ["files:read"], allowed_addresses: ["10.0.0.0/8"] });
  const path = `/v1/credentials/${made.body.id}`;
  await server.call("POST", `${path}/approve`, { token });
  const change = (json: Json, by = manager) => server.call("PATCH", path, { token: by, json });
  refused(await change({ scopes: ["files:read", "s3:read"] }), 403, "forbidden");
  refused(await change({ allowed_addresses: null }), 403, "forbidden");
  refused(await change({ allowed_addresses: ["10.0.0.0/8", "192.0.2.1"] }), 403, "forbidden");
  const narrower = await change({ allowed_addresses: ["10.2.3.4/16", "::ffff:10.9.9.9"] });
  assert.deepEqual(narrower.body["allowed_addresses"], ["10.2.0.0/16", "10.9.9.9"], narrower.text);
  assert.equal((await change({ allowed_addresses: null }, token)).status, 200);
});

test("administrators' credentials need no approval, nor do older ones", async () => {
  const manager = await managerToken();
  const before = await create(manager, "/v1/credentials", { scopes: ["files:read"] });
  await policy({ approval_required: true });
  const theirs = await create(shared.token, "/v1/credentials", { scopes: ["files:read"] });
  assert.equal(theirs.body.pending, false);
  for (const { body } of [before, theirs]) assert.equal((await signIn(body)).status, 200);
});

test("an S3 key waits as well, and shows that", async () => {
  const { server, token, home } = shared;
  const manager = await managerToken();
  await policy({ approval_required: true });
  const made = await create<{ id: string; pending: boolean; access_key_id: string; secret_access_key: string }>(
    manager,
    "/v1/s3/keys",
    { scopes: ["s3:read"] },
  );
  assert.deepEqual([made.status, made.body.pending], [201, true], made.text);
  const { access_key_id: accessKeyId, secret_access_key: secretAccessKey } = made.body;
  const client = sdkClient({ ...(await s3EndpointOf(server, home)), accessKeyId, secretAccessKey });
  await assert.rejects(client.send(new ListBucketsCommand({})), { name: "AccessDenied", message: /approval/ });
  refused(
    await server.call("POST", `/v1/s3/keys/${made.body.id}/approve`, { token: manager }),
    403,
    "insufficient_scope",
  );
  assert.equal((await server.call("POST", `/v1/s3/keys/${made.body.id}/approve`, { token })).status, 200);
  await client.send(new ListBucketsCommand({}));
});

test("the policy requires an expiry, which a maximum lifetime sets by itself", async () => {
  await policy({ require_expiry: true });
  const scopes = ["s3:read"];
  for (const path of ["/v1/credentials", "/v1/s3/keys"]) {
    refused(await create(shared.token, path, { scopes }), 400, "invalid_body", ["/expires_at"]);
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    assert.equal((await create(shared.token, path, { scopes, expires_at })).status, 201);
  }
  await policy({ credential_lifetime_days_max: 7 });
  const made = await create<{ expires_at: string | null }>(shared.token, "/v1/credentials", { scopes });
  assert.equal(made.status, 201, made.text);
  assert.notEqual(made.body.expires_at, null);
});

test("invalid ranges are named by their places, and at most 32 ranges are accepted", async () => {
  const bad = { scopes: ["files:read"], allowed_addresses: ["10.0.0.0/8", "10.0.0.0/33", "office"] };
  const pointers = ["/allowed_addresses/1", "/allowed_addresses/2"];
  refused(await create(shared.token, "/v1/credentials", bad), 400, "invalid_body", pointers);
  refused(await create(shared.token, "/v1/s3/keys", { ...bad, scopes: ["s3:read"] }), 400, "invalid_body", pointers);
  const json = { policy: { allowed_addresses: ["nowhere"] } };
  const answer = await shared.server.call("PATCH", "/v1/organization", { token: shared.token, json });
  refused(answer, 400, "invalid_body", ["/policy/allowed_addresses/0"]);
  const ranges = (count: number): string[] => Array.from({ length: count }, (_, i) => `10.0.0.${i}`);
  const scopes = ["files:read"];
  const most = await create(shared.token, "/v1/credentials", { scopes, allowed_addresses: ranges(32) });
  assert.equal(most.status, 201, most.text);
  const over = await create(shared.token, "/v1/credentials", { scopes, allowed_addresses: ranges(33) });
  refused(over, 400, "invalid_body");
});
