import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { SCOPES, type OrgRole, type Scope } from "@mooring/contract";
import { newToken } from "./testing/requests.ts";
import { sharedWorld, PASSWORD, type Answer, type Tenant, type World } from "./testing/world.ts";

/** A change that reduces access applies to the next request, also with tokens that were issued before. */

describe("a change of access", () => {
  let world: World;
  let counter = 0;

  before(async () => {
    world = await sharedWorld();
  });

  after(() => world.close());

  async function ask(method: string, path: string, token: string, body?: unknown): Promise<Answer> {
    return world.call(method, path, { token, ...(body === undefined ? {} : { body }) });
  }

  async function made(method: string, path: string, token: string, body?: unknown): Promise<Record<string, unknown>> {
    const answer = await ask(method, path, token, body);
    assert.ok(answer.status < 300, answer.text);
    return answer.json;
  }

  /** Adds a member with a credential. Both can read the organization. */
  async function memberWithCredential(
    tenant: Tenant,
    role: OrgRole,
    scopes: Scope[],
  ): Promise<{ userId: string; credentialId: string; token: string }> {
    const userId = await world.join(tenant, `member-${++counter}@example.org`, role);
    const person = { ...tenant, people: { ...tenant.people, [role]: userId } };
    const { id, token } = await world.credential({ tenant: person, by: role, scopes });
    return { userId, credentialId: id, token };
  }

  const owner = (): string => world.person(world.acme, world.acme.people.owner);

  test("a lower role removes scopes from the credentials that the member created", async () => {
    const { userId, token } = await memberWithCredential(world.acme, "admin", ["apps:read", "audit:read"]);
    assert.equal((await ask("GET", "/v1/audit", token)).status, 200);
    await made("PATCH", `/v1/members/${userId}`, owner(), { role: "viewer" });
    const refused = await ask("GET", "/v1/audit", token);
    assert.equal(refused.json["code"], "insufficient_scope");
    assert.equal((await ask("GET", "/v1/apps", token)).status, 200);
  });

  test("a removed member's credentials lose every scope", async () => {
    const { userId, token } = await memberWithCredential(world.acme, "developer", ["apps:read"]);
    assert.equal((await ask("GET", "/v1/apps", token)).status, 200);
    assert.equal((await ask("DELETE", `/v1/members/${userId}?transfer_credentials=false`, owner())).status, 204);
    assert.equal((await ask("GET", "/v1/apps", token)).status, 403);
    assert.equal((await ask("GET", "/v1/me", world.person(world.acme, userId))).status, 401);
  });

  test("a removed member's credentials are transferred to the caller on request", async () => {
    const { userId, credentialId, token } = await memberWithCredential(world.acme, "developer", ["apps:read"]);
    assert.equal((await ask("DELETE", `/v1/members/${userId}?transfer_credentials=true`, owner())).status, 204);
    assert.equal((await ask("GET", "/v1/apps", token)).status, 200);
    const credential = await made("GET", `/v1/credentials/${credentialId}`, owner());
    assert.equal(credential["created_by"], userId, "the creator is history");
    assert.deepEqual(credential["responsible"], { kind: "person", id: world.acme.people.owner, name: "" });
  });

  test("a removed member's S3 keys lose every scope, or are transferred with their current permissions", async () => {
    for (const passes of [false, true]) {
      const userId = await world.join(world.acme, `member-${++counter}@example.org`, "developer");
      const key = await made("POST", "/v1/s3/keys", world.person(world.acme, userId), { name: "theirs" });
      const path = `/v1/s3/keys/${String(key["id"])}`;
      const before = await made("GET", path, owner());
      const query = passes ? "" : "?transfer_credentials=false";
      assert.equal((await ask("DELETE", `/v1/members/${userId}${query}`, owner())).status, 204);
      const after = await made("GET", path, owner());
      assert.deepEqual(after["effective_scopes"], passes ? before["effective_scopes"] : []);
      const responsible = after["responsible"] as { id: string };
      assert.equal(responsible.id, passes ? world.acme.people.owner : userId);
    }
  });

  test("transferred credentials gain nothing from their new owner", async () => {
    const scopes: Scope[] = ["apps:read", "audit:read"];
    const { userId, credentialId, token } = await memberWithCredential(world.acme, "admin", scopes);
    await made("PATCH", `/v1/members/${userId}`, owner(), { role: "viewer" });
    assert.equal((await ask("GET", "/v1/audit", token)).status, 403);
    assert.equal((await ask("DELETE", `/v1/members/${userId}?transfer_credentials=true`, owner())).status, 204);
    assert.equal((await ask("GET", "/v1/audit", token)).status, 401, "the leaver still knows the secret");
    const next = await newToken(world, credentialId);
    assert.equal((await ask("GET", "/v1/audit", next)).status, 403);
    assert.equal((await ask("GET", "/v1/apps", next)).status, 200);
    const credential = await made("GET", `/v1/credentials/${credentialId}`, owner());
    assert.deepEqual(credential["scopes"], ["apps:read"]);
  });

  test("a transfer does not give an admin's credentials an owner's permissions", async () => {
    const { userId, credentialId, token } = await memberWithCredential(world.acme, "admin", [...SCOPES]);
    const invite = { email: `owner-${++counter}@example.org`, role: "owner" };
    assert.equal((await ask("POST", "/v1/invitations", token, invite)).json["code"], "forbidden");
    assert.equal((await ask("DELETE", `/v1/members/${userId}?transfer_credentials=true`, owner())).status, 204);
    assert.equal((await ask("POST", "/v1/invitations", token, invite)).status, 401, "its tokens are void");
    const next = await newToken(world, credentialId);
    assert.equal((await ask("POST", "/v1/invitations", next, invite)).status, 403);
    assert.equal((await ask("GET", "/v1/audit", next)).status, 200);
  });

  test("an invitation by a credential ends with the role of the credential's creator", async () => {
    for (const [end, status] of [
      [null, 200],
      ["viewer", 404],
      ["gone", 404],
    ] as const) {
      const { userId, token } = await memberWithCredential(world.acme, "admin", [...SCOPES]);
      const invited = await made("POST", "/v1/invitations", token, {
        email: `accomplice-${++counter}@example.org`,
        role: "admin",
      });
      if (end === "viewer") await made("PATCH", `/v1/members/${userId}`, owner(), { role: "viewer" });
      if (end === "gone")
        assert.equal((await ask("DELETE", `/v1/members/${userId}?transfer_credentials=false`, owner())).status, 204);
      const body = { token: String(invited["link"]).split("#")[1], name: "Accomplice", password: PASSWORD };
      const answer = await world.call("POST", "/v1/invitations/accept", { body });
      assert.equal(answer.status, status, `${end}: ${answer.text}`);
    }
  });

  test("a credential of the installation can't receive credentials", async () => {
    const { userId } = await memberWithCredential(world.acme, "developer", ["apps:read"]);
    const answer = await ask("DELETE", `/v1/members/${userId}?transfer_credentials=true`, await world.token());
    assert.equal(answer.json["code"], "orphans_undecided");
  });

  test("a stricter policy removes scopes from every credential, and a wider one restores them", async () => {
    const tenant = await world.tenant("policed");
    const admin = world.person(tenant, tenant.people.owner);
    const token = await world.token({ tenant, scopes: ["apps:read", "audit:read"] });
    await made("PATCH", "/v1/organization", admin, { policy: { allowed_scopes: ["apps:read"] } });
    assert.equal((await ask("GET", "/v1/audit", token)).status, 403);
    assert.equal((await ask("GET", "/v1/apps", token)).status, 200);
    await made("PATCH", "/v1/organization", admin, { policy: { allowed_scopes: null } });
    assert.equal((await ask("GET", "/v1/audit", token)).status, 200);
  });

  test("no credential lives longer than the policy allows", async () => {
    const tenant = await world.tenant("short-lived");
    const admin = world.person(tenant, tenant.people.owner);
    await made("PATCH", "/v1/organization", admin, { policy: { credential_lifetime_days_max: 1 } });
    const farAway = "2999-01-01T00:00:00Z";
    const credential = await made("POST", "/v1/credentials", admin, {
      name: "x",
      scopes: ["apps:read"],
      expires_at: farAway,
    });
    assert.ok(
      Date.parse(credential["expires_at"] as string) <= Date.parse(credential["created_at"] as string) + 86_400_000,
    );
  });

  test("a credential whose expiry is in a leap second expires", async () => {
    const body = { name: "x", scopes: ["apps:read"], expires_at: "2990-12-31T23:59:60Z" };
    const credential = await made("POST", "/v1/credentials", owner(), body);
    assert.equal(credential["expires_at"], "2991-01-01T00:00:00.000Z");
    const none = await ask("GET", "/v1/audit?to=1990-12-31T23:59:60Z", owner());
    const all = await ask("GET", "/v1/audit?from=1990-12-31T23:59:60Z", owner());
    assert.deepEqual([none.json["items"], (all.json["items"] as unknown[]).length > 0], [[], true]);
  });

  test("a project that becomes private is hidden from the organization's credentials, with its apps", async () => {
    const token = await world.token();
    const project = await made("POST", "/v1/projects", token, { slug: "retreat" });
    await made("POST", "/v1/apps", token, { project: "retreat", slug: "retreat-app" });
    assert.equal((await ask("GET", "/v1/apps/retreat-app", token)).status, 200);
    await made("PATCH", "/v1/projects/retreat", owner(), { visibility: "private" });
    assert.equal((await ask("GET", "/v1/projects/retreat", token)).status, 404);
    assert.equal((await ask("GET", "/v1/apps/retreat-app", token)).status, 404);
    const listed = await made("GET", "/v1/apps?limit=100", token);
    assert.ok(!JSON.stringify(listed).includes("retreat-app"));
    const members = await made("GET", `/v1/projects/${project["id"] as string}/members`, owner());
    assert.deepEqual(
      (members["items"] as { user_id: string; role: string }[]).map((row) => [row.user_id, row.role]),
      [[world.acme.people.owner, "maintainer"]],
    );
  });

  test("a credential of a project reads nothing outside the project, and can do nothing while it is in the trash", async () => {
    const token = await world.token();
    const project = await made("POST", "/v1/projects", token, { slug: "short" });
    const bound = await world.token({ projectId: project["id"] as string });
    const listed = await made("GET", "/v1/projects", bound);
    assert.deepEqual(
      (listed["items"] as { id: string }[]).map((row) => row.id),
      [project["id"]],
    );
    const me = await made("GET", "/v1/me", bound);
    assert.deepEqual([me["project_id"], (me["projects"] as unknown[]).length], [project["id"], 1]);
    assert.equal((await ask("DELETE", "/v1/projects/short", token)).status, 204);
    const refused = await ask("GET", "/v1/projects", bound);
    assert.deepEqual([refused.status, refused.json["code"]], [403, "insufficient_scope"]);
  });

  test("a revoked credential's token fails on the next request", async () => {
    const { id, token } = await world.credential();
    const revoked = await made("DELETE", `/v1/credentials/${id}`, owner());
    assert.equal(revoked["propagated"], true);
    const refused = await ask("GET", "/v1/me", token);
    assert.equal(refused.json["code"], "invalid_token");
  });

  test("an owner makes owners; an admin and an admin's credential can't", async () => {
    const userId = await world.join(world.acme, "rising@example.org", "developer");
    const byAdmin = await world.token({ by: "admin" });
    assert.equal((await ask("PATCH", `/v1/members/${userId}`, byAdmin, { role: "owner" })).json["code"], "forbidden");
    const byOwner = await world.token({ by: "owner" });
    await made("PATCH", `/v1/members/${userId}`, byOwner, { role: "owner" });
    assert.equal((await ask("DELETE", `/v1/members/${userId}`, byAdmin)).json["code"], "forbidden");
    assert.equal((await ask("DELETE", `/v1/members/${userId}`, byOwner)).status, 204);
  });

  test("a credential that may only manage members can't give anybody more than it has", async () => {
    const token = await world.token({ by: "owner", scopes: ["members:write", "org:read"] });
    const body = { email: "accomplice@example.org", role: "viewer" };
    const answer = await ask("POST", "/v1/invitations", token, body);
    assert.equal(answer.json["code"], "forbidden");
    assert.match(answer.json["detail"] as string, /apps:read/);
  });

  test("a viewer who maintains a project changes only that one, and gives at most a maintainer's permissions", async () => {
    const userId = await world.join(world.acme, "keeper@example.org", "viewer");
    const keeper = world.person(world.acme, userId);
    await made("POST", "/v1/projects", owner(), { slug: "kept", visibility: "private" });
    assert.equal((await ask("GET", "/v1/projects/kept", keeper)).status, 404);
    await made("PUT", `/v1/projects/kept/members/${userId}`, owner(), { role: "maintainer" });
    await made("PATCH", "/v1/projects/kept", keeper, { name: "Kept" });
    await made("POST", "/v1/apps", keeper, { project: "kept", slug: "kept-app" });
    await made("PUT", `/v1/projects/kept/members/${world.acme.people.developer}`, keeper, { role: "maintainer" });
    assert.equal((await ask("PATCH", "/v1/projects/open", keeper, { name: "x" })).json["code"], "insufficient_scope");
    assert.equal((await ask("POST", "/v1/apps", keeper, { project: "open", slug: "not-mine" })).status, 403);
  });
});
