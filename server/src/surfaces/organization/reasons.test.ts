import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { OrgRole, Scope } from "@mooring/contract";
import { sharedWorld, type Answer, type World } from "./testing/world.ts";

/** A 403 names the deciding reason, and an error about a revoked or expired child names its parent. */

describe("a refusal names its reason", () => {
  let world: World;
  let counter = 0;
  before(async () => {
    world = await sharedWorld();
  });
  after(() => world.close());

  const owner = (): string => world.person(world.acme, world.acme.people.owner);
  const ask = (method: string, path: string, token: string, body?: unknown): Promise<Answer> =>
    world.call(method, path, { token, ...(body === undefined ? {} : { body }) });

  async function made(method: string, path: string, token: string, body?: unknown): Promise<Record<string, unknown>> {
    const answer = await ask(method, path, token, body);
    assert.ok(answer.status < 300, answer.text);
    return answer.json;
  }

  /** Adds a member of a role with a credential. */
  async function withCredential(role: OrgRole, scopes: Scope[]) {
    const userId = await world.join(world.acme, `member-${++counter}@example.org`, role);
    const tenant = { ...world.acme, people: { ...world.acme.people, [role]: userId } };
    return { userId, ...(await world.credential({ tenant, by: role, scopes })) };
  }

  /** Signs in again, as a client does. */
  async function newToken(credentialId: string, scope?: string): Promise<string> {
    return tokenOf(await made("POST", `/v1/credentials/${credentialId}/rotate`, owner(), {}), scope);
  }

  async function tokenOf(rotated: Record<string, unknown>, scope?: string): Promise<string> {
    const origin = { ip: "127.0.0.1", requestId: "req_test" };
    const [clientId, clientSecret] = [String(rotated["client_id"]), String(rotated["client_secret"])];
    const state = await world.identity.signIn.authenticate({ clientId, clientSecret, ...origin });
    return (await world.identity.tokens.issuer.issue(state, { scope, ...origin })).accessToken;
  }

  function assertDecided(answer: Answer, decided: string, scope: string, words: RegExp): void {
    assert.deepEqual(
      [answer.status, answer.json["code"], answer.json["decided_by"], answer.json["required_scope"]],
      [403, "insufficient_scope", decided, scope],
      answer.text,
    );
    assert.match(String(answer.json["detail"]), words);
    assert.match(answer.headers.get("www-authenticate") ?? "", new RegExp(`scope="${scope}"`));
  }

  test("the lowered role of the responsible person, or that the person left", async () => {
    const { userId, token, id } = await withCredential("admin", ["apps:read", "audit:read"]);
    await made("PATCH", `/v1/members/${userId}`, owner(), { role: "viewer" });
    const words =
      /was given this scope, but the role of the person responsible for it was lowered from admin to viewer/;
    assertDecided(await ask("GET", "/v1/audit", token), "role", "audit:read", words);
    await assert.rejects(newToken(id, "audit:read"), /does not have: audit:read\. .*lowered from admin to viewer/);
    const secret = await made("POST", `/v1/credentials/${id}/rotate`, owner(), {});
    assert.equal((await ask("DELETE", `/v1/members/${userId}?transfer_credentials=false`, owner())).status, 204);
    const left = /has left the organization/;
    assertDecided(await ask("GET", "/v1/apps", token), "role", "apps:read", left);
    await assert.rejects(tokenOf(secret), /has no scope now: the person responsible for it has left the organization/);
    for (const [method, act] of [
      ["POST", "/rotate"],
      ["PATCH", ""],
    ] as const) {
      const refused = await ask(method, `/v1/credentials/${id}${act}`, owner(), act === "" ? { name: "x" } : {});
      assert.deepEqual([refused.status, refused.json["code"]], [409, "conflict"], refused.text);
      assert.match(String(refused.json["detail"]), left);
    }
    const shown = await made("GET", `/v1/credentials/${id}`, owner());
    assert.deepEqual(
      [shown["state"], shown["state_reason"]],
      ["idle", "the person responsible for it has left the organization"],
    );
  });

  test("the organization's policy", async () => {
    const tenant = await world.tenant("policy-decides");
    const { token } = await world.credential({ tenant, by: "owner", scopes: ["apps:read", "audit:read"] });
    const policy = { allowed_scopes: ["apps:read", "org:write", "org:read"] };
    await made("PATCH", "/v1/organization", world.person(tenant, tenant.people.owner), { policy });
    const words = /the organization's policy forbids it for credentials/;
    assertDecided(await ask("GET", "/v1/audit", token), "policy", "audit:read", words);
    const body = { name: "x", scopes: ["audit:read"] };
    const refused = await ask("POST", "/v1/credentials", world.person(tenant, tenant.people.owner), body);
    assert.deepEqual([refused.status, refused.json["decided_by"]], [403, "policy"]);
  });

  test("that the credential lacks the scope, or the token was issued without it", async () => {
    const { token } = await world.credential({ by: "owner", scopes: ["apps:read"] });
    assertDecided(
      await ask("GET", "/v1/audit", token),
      "scope",
      "audit:read",
      /The credential was not given this scope/,
    );
    const { id } = await world.credential({ scopes: ["apps:read", "audit:read"] });
    const narrow = await newToken(id, "apps:read");
    assertDecided(await ask("GET", "/v1/audit", narrow), "scope", "audit:read", /token was issued without it/);
  });

  test("a person's own role", async () => {
    const viewer = world.person(world.acme, world.acme.people.viewer);
    assertDecided(await ask("GET", "/v1/audit", viewer), "role", "audit:read", /Your role viewer does not have it/);
  });

  test("the project of the credential, the address, and the approval", async () => {
    const bound = await world.token({ projectId: world.acme.open.id });
    const refused = await ask("GET", "/v1/organization", bound);
    assert.deepEqual([refused.status, refused.json["code"], refused.json["decided_by"]], [403, "forbidden", "project"]);
    const { id, token } = await world.credential({ scopes: ["apps:read"] });
    await made("PATCH", `/v1/credentials/${id}`, owner(), { allowed_addresses: ["192.0.2.1"] });
    const elsewhere = await ask("GET", "/v1/apps", token);
    assert.deepEqual(
      [elsewhere.status, elsewhere.json["code"], elsewhere.json["decided_by"]],
      [403, "address_not_allowed", "address"],
    );
    const waiting = await world.credential({ scopes: ["apps:read"] });
    await world.metadata.write((tx) =>
      tx.updateTable("credential").set({ pending: 1 }).where("id", "=", waiting.id).execute(),
    );
    await made("PATCH", `/v1/credentials/${waiting.id}`, owner(), { name: "waiting" }); // Shows that the state has changed.
    const unapproved = await ask("GET", "/v1/apps", waiting.token);
    assert.deepEqual(
      [unapproved.status, unapproved.json["code"], unapproved.json["decided_by"]],
      [403, "approval_pending", "approval"],
      unapproved.text,
    );
  });

  test("the name of a parent that lost the permission", async () => {
    const parent = await withCredential("owner", ["credentials:write", "apps:read", "audit:read"]);
    const body = { name: "child", scopes: ["apps:read", "audit:read"] };
    const child = await made("POST", "/v1/credentials", parent.token, body);
    const token = await newToken(String(child["id"]));
    await made("PATCH", `/v1/credentials/${parent.id}`, owner(), { scopes: ["credentials:write", "apps:read"] });
    const words = new RegExp(`its parent ${parent.id} lost this permission`);
    assertDecided(await ask("GET", "/v1/audit", token), "parent", "audit:read", words);
  });

  test("a child of a revoked credential names its parent: in the error, in its representation, and in the audit log", async () => {
    const parent = await withCredential("owner", ["credentials:write", "apps:read"]);
    const child = await made("POST", "/v1/credentials", parent.token, { name: "child", scopes: ["apps:read"] });
    const id = String(child["id"]);
    const token = await newToken(id);
    const { client_id: clientId, client_secret: clientSecret } = await made(
      "POST",
      `/v1/credentials/${id}/rotate`,
      owner(),
      {},
    );
    await made("DELETE", `/v1/credentials/${parent.id}`, owner());
    const refused = await ask("GET", "/v1/apps", token);
    assert.equal(refused.json["code"], "invalid_token");
    assert.equal(refused.json["detail"], `The credential of this token was revoked with its parent ${parent.id}.`);
    const shown = await made("GET", `/v1/credentials/${id}`, owner());
    assert.equal(shown["revoked_with"], parent.id);
    assert.ok(Date.parse(String(shown["revoked_at"])) > Date.now() - 60_000, String(shown["revoked_at"]));
    assert.equal(shown["expires_at"], null, "the child has no separate expiry");
    const origin = { ip: "192.0.2.77", requestId: "req_child" };
    const signIn = { clientId: String(clientId), clientSecret: String(clientSecret), ...origin };
    await assert.rejects(world.identity.signIn.authenticate(signIn), { code: "unauthorized" });
    const deadlineMs = performance.now() + 10_000;
    for (;;) {
      const { items } = (await made("GET", "/v1/audit?action=token.refuse", owner())) as { items: { ip: string }[] };
      const entry = items.find(({ ip }) => ip === origin.ip) as { detail?: { reason?: string } } | undefined;
      if (entry !== undefined) {
        assert.equal(entry.detail?.reason, `revoked with its parent ${parent.id}`);
        break;
      }
      assert.ok(performance.now() < deadlineMs, "the refusal did not reach the audit log");
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  });

  test("a child of an expired credential names its parent", async () => {
    const parent = await made("POST", "/v1/credentials", owner(), {
      name: "short",
      scopes: ["credentials:write", "apps:read"],
      expires_at: new Date(Date.now() + 60_000).toISOString(),
    });
    const child = await made("POST", "/v1/credentials", await newToken(String(parent["id"])), {
      name: "child",
      scopes: ["apps:read"],
    });
    const token = await newToken(String(child["id"]));
    await world.metadata.write(async (tx) => {
      await tx.updateTable("credential").set({ expires_at: 1 }).where("id", "=", String(parent["id"])).execute();
    });
    await made("PATCH", "/v1/organization", owner(), { name: "read again" });
    const refused = await ask("GET", "/v1/apps", token);
    const detail = `The credential of this token has expired with its parent ${String(parent["id"])}.`;
    assert.deepEqual([refused.status, refused.json["detail"]], [401, detail]);
  });
});
