import assert from "node:assert/strict";
import { before, beforeEach, test } from "node:test";
import { OPERATOR_ROUTES, type Route } from "@mooring/contract";
import { createOperatorToken, takeOperatorRole } from "#domain/operator/index.ts";
import { newSecret } from "#kernel/secrets.ts";
import { useOperator } from "../testing/operator.ts";
import { PASSWORD, type Ada } from "../testing/server.ts";
import type { Answer, Browser } from "../testing/browser.ts";

const operated = useOperator();
/** A person with an account, who is not an operator at first. */
let grace: Ada;
let graces: Browser;

before(async () => {
  grace = await operated.server.createOwner();
  graces = await operated.server.signedIn(grace);
});

beforeEach(() => operated.server.forward(60_000));

const SYSTEM = { actor: { kind: "system", id: null }, ip: null, requestId: null } as const;
const call = (method: string, path: string, body?: object): Promise<Answer> =>
  operated.browser.call(method, path, body);
const give = (email: string): Promise<Answer> => call("POST", "/api/instance/operators", { email });
const take = (name: string): Promise<Answer> => call("DELETE", `/api/instance/operators/${name}`);
const confirm = (): Promise<Answer> => call("POST", "/api/session/confirm", { password: PASSWORD });
const codeOf = ({ json }: Answer): unknown => json["code"];

async function newToken(): Promise<string> {
  await confirm();
  const made = await call("POST", "/api/instance/tokens", { name: "terraform" });
  assert.equal(made.status, 201, made.text);
  return String(made.json["token"]);
}

const byToken = (token: string, method: string, path: string, body?: object): Promise<Answer> =>
  operated.server.browser().call(method, path, body, { authorization: `Bearer ${token}` });

/** A path and a body of an operation, with objects that do not exist. */
function requestOf(row: Route): { readonly path: string; readonly body: object | undefined } {
  const path = row.path.replace(/\{[a-z_]+\}/g, "absent");
  return { path, body: row.body === undefined ? undefined : {} };
}

for (const row of Object.values(OPERATOR_ROUTES) as readonly Route[]) {
  test(`${row.operationId} is for operators only: not without a sign-in, for others, or with another token`, async () => {
    const { path, body } = requestOf(row);
    assert.equal(row.permission, "instance");
    assert.equal(codeOf(await operated.server.browser().call(row.method, path, body)), "unauthorized");
    assert.equal(codeOf(await graces.call(row.method, path, body)), "forbidden");
    for (const wrong of ["bad", newSecret("mrop"), newSecret("mrpat")])
      assert.equal(codeOf(await byToken(wrong, row.method, path, body)), "invalid_token", wrong);
    if (row.recentSignIn !== true) return;
    operated.server.forward(11 * 60_000);
    assert.equal(codeOf(await call(row.method, path, body)), "confirmation_required");
  });
}

test("the role is given to a person with an account, and taken; each act is in the audit log of the installation", async () => {
  await confirm();
  const given = await give(grace.email.toUpperCase());
  assert.deepEqual([given.status, given.json["email"]], [200, grace.email], given.text);
  assert.equal((await give(grace.email)).status, 200, "again: nothing changes");
  const { items } = (await graces.call("GET", "/api/instance/operators")).json as { items: { email: string }[] };
  assert.deepEqual(items.map(({ email }) => email).toSorted(), [operated.ada.email, grace.email].toSorted());
  assert.equal(codeOf(await give("nobody@example.org")), "not_found");
  assert.equal((await take(grace.email)).status, 204);
  assert.equal(codeOf(await graces.call("GET", "/api/instance/operators")), "forbidden");
  assert.equal(codeOf(await take(grace.id)), "not_found");
  const rows = await operated.server.metadata.read
    .selectFrom("audit")
    .select(["action", "actor_id", "target_id"])
    .where("org_id", "=", "")
    .where("action", "in", ["operator.give", "operator.take"])
    .orderBy("seq")
    .execute();
  assert.deepEqual(
    rows.map(({ action, actor_id, target_id }) => [action, actor_id, target_id]),
    [
      ["operator.give", operated.ada.id, grace.id],
      ["operator.take", operated.ada.id, grace.id],
    ],
  );
});

test("the last operator keeps the role, also if two take it from each other at the same time", async () => {
  await confirm();
  assert.equal(codeOf(await take(operated.ada.id)), "conflict");
  await give(grace.email);
  const { metadata, clock } = operated.server;
  const both = await Promise.allSettled(
    [operated.ada.id, grace.id].map((userId) => takeOperatorRole({ metadata, clock }, SYSTEM, { userId })),
  );
  assert.deepEqual(both.map(({ status }) => status).toSorted(), ["fulfilled", "rejected"]);
  const admins = await metadata.read.selectFrom("person").select("id").where("instance_admin", "=", 1).execute();
  assert.equal(admins.length, 1);
  const last = { instance_admin: 1 };
  await metadata.write((tx) => tx.updateTable("person").set(last).where("id", "=", operated.ada.id).execute());
  await metadata.write((tx) =>
    tx.updateTable("person").set({ instance_admin: 0 }).where("id", "=", grace.id).execute(),
  );
});

test("an operator token acts without a browser, in the audit log as itself, and reads nothing inside an organization", async () => {
  const token = await newToken();
  const path = `/api/instance/organizations/${grace.org}`;
  const suspended = await byToken(token, "POST", `${path}/suspend`, { state: "read_only", reason: "unpaid" });
  assert.equal(suspended.status, 200, suspended.text);
  assert.equal((await byToken(token, "POST", `${path}/resume`, {})).status, 200);
  const listed = (await byToken(token, "GET", "/api/instance/tokens")).json["items"] as { id: string; name: string }[];
  const [entry] = await operated.server.metadata.read
    .selectFrom("audit")
    .select(["actor_kind", "actor_id"])
    .where("org_id", "=", grace.orgId)
    .where("action", "=", "organization.suspend")
    .execute();
  assert.deepEqual([entry?.actor_kind, entry?.actor_id], ["credential", listed[0]?.id]);
  for (const inside of ["/api/session", "/api/account/tokens"])
    assert.equal((await byToken(token, "GET", inside)).status, 401, inside);
});

test("an operator token makes no operator and no token, and ends with a revocation, its time, or the role of its creator", async () => {
  const token = await newToken();
  for (const [method, path, body] of [
    ["POST", "/api/instance/operators", { email: grace.email }],
    ["DELETE", `/api/instance/operators/${operated.ada.id}`],
    ["POST", "/api/instance/tokens", { name: "another" }],
    ["POST", `/api/instance/accounts/${operated.ada.id}/reset-link`, {}],
  ] as const)
    assert.equal(codeOf(await byToken(token, method, path, body)), "forbidden", path);
  const { items } = (await call("GET", "/api/instance/tokens")).json as { items: { id: string; created_by: string }[] };
  assert.equal(items[0]?.created_by, operated.ada.email);
  assert.equal((await call("DELETE", `/api/instance/tokens/${items[0]?.id}`)).status, 204);
  assert.equal(codeOf(await call("DELETE", `/api/instance/tokens/${items[0]?.id}`)), "not_found");
  assert.equal(codeOf(await byToken(token, "GET", "/api/instance/tokens")), "invalid_token");
  const { metadata, clock } = operated.server;
  const past = { name: "x", expires_at: new Date(clock.nowMs() - 1).toISOString() };
  assert.equal(codeOf(await call("POST", "/api/instance/tokens", past)), "invalid_body");
  const by = { actor: { kind: "person", id: grace.id }, ip: null, requestId: null } as const;
  await give(grace.email);
  const { secret } = await createOperatorToken({ metadata, clock }, by, {
    name: "hers",
    expiresAtMs: clock.nowMs() + 60_000,
  });
  assert.equal((await byToken(secret, "GET", "/api/instance/tokens")).status, 200);
  operated.server.forward(60_000);
  assert.equal(codeOf(await byToken(secret, "GET", "/api/instance/tokens")), "invalid_token");
  const { secret: other } = await createOperatorToken({ metadata, clock }, by, { name: "hers", expiresAtMs: null });
  await take(grace.id);
  assert.equal(codeOf(await byToken(other, "GET", "/api/instance/tokens")), "invalid_token");
});

test("an organization gets another slug; the old one is absent, and stays reserved for it", async () => {
  await confirm();
  const other = await operated.server.createOwner();
  const rename = (name: string, body: object) => call("PATCH", `/api/instance/organizations/${name}`, body);
  const made = await rename(other.org, { slug: "renamed", name: "Renamed Ltd" });
  assert.deepEqual([made.status, made.json["slug"], made.json["name"]], [200, "renamed", "Renamed Ltd"], made.text);
  assert.equal(codeOf(await rename(other.org, { name: "x" })), "not_found");
  assert.equal(codeOf(await rename("renamed", { slug: operated.ada.org })), "duplicate_slug");
  assert.equal(codeOf(await rename(operated.ada.org, { slug: other.org })), "duplicate_slug");
  const taken = { slug: other.org, name: "Thief", owner_email: grace.email };
  assert.equal(codeOf(await call("POST", "/api/instance/organizations", taken)), "conflict");
  assert.equal((await rename("renamed", { slug: other.org })).json["slug"], other.org, "it takes its slug back");
  assert.equal(codeOf(await rename("renamed", { name: "x" })), "not_found");
});

test("quotas are set and shown: bytes, none, or the server's setting", async () => {
  await confirm();
  const path = `/api/instance/organizations/${grace.org}/quotas`;
  const none = { stored_bytes_max: null, ingest_bytes_per_second: null, ingest_bytes_burst: null };
  const unset = { ...none, files_stored_bytes_max: null, images_stored_bytes_max: null };
  assert.deepEqual((await call("GET", path)).json, unset);
  const change = { stored_bytes_max: 5000, files_stored_bytes_max: "none", images_stored_bytes_max: 7 };
  assert.deepEqual((await call("PATCH", path, change)).json, { ...unset, ...change });
  assert.deepEqual((await call("GET", path)).json, { ...unset, ...change });
  assert.equal(codeOf(await call("PATCH", path, { stored_bytes_max: -1 })), "invalid_body");
  assert.equal(codeOf(await call("PATCH", path, {})), "invalid_body");
  const rows = await operated.server.metadata.read
    .selectFrom("audit")
    .select(["action", "actor_id"])
    .where("org_id", "=", grace.orgId)
    .where("action", "like", "%quota.update")
    .orderBy("seq")
    .execute();
  assert.deepEqual(
    rows.map(({ action, actor_id }) => [action, actor_id]),
    ["telemetry.quota.update", "file.quota.update", "image.quota.update"].map((action) => [action, operated.ada.id]),
  );
});
