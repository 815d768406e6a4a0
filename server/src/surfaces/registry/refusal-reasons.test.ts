import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { OrgRole, Scope } from "@mooring/contract";
import { announcePersonalTokens } from "#domain/identity/index.ts";
import { personPrincipal, SYSTEM, updateOrganization, type OrganizationPolicy } from "#domain/organizations/index.ts";
import { systemClock } from "#kernel/time.ts";
import { createWorld, type Answer, type Tenant, type World } from "../organization/testing/world.ts";
import { basicOf, newClient, registryOf, tokenFor, withRegistry, type TestClient } from "./testing/registry.ts";

/** A refused push or login names the deciding reason, because clients print it. */
describe("a refusal of the registry names its reason", () => {
  let world: World;
  let counter = 0;
  before(async () => {
    world = await createWorld(withRegistry());
  });
  after(() => world.close());

  const owner = (tenant: Tenant): string => world.person(tenant, tenant.people.owner);
  const nameIn = (tenant: Tenant): string => `orgs/${tenant.slug}/${tenant.openApp.slug}`;

  async function changed(tenant: Tenant, method: string, path: string, body: unknown): Promise<void> {
    const answer = await world.call(method, path, { token: owner(tenant), body });
    assert.ok(answer.status < 300, answer.text);
  }

  /** Creates a credential as a person of the tenant. */
  async function madeBy(tenant: Tenant, userId: string, scopes: readonly Scope[], projectId: string | null = null) {
    const actor = await personPrincipal(world.metadata.read, tenant.id, userId, systemClock.nowMs());
    assert.ok(actor !== undefined);
    const { credential, clientSecret } = await world.identity.credentials.create(
      { actor },
      { name: "test", projectId, scopes },
    );
    return { id: credential.id, clientId: credential.clientId, clientSecret };
  }

  const join = (tenant: Tenant, role: OrgRole): Promise<string> =>
    world.join(tenant, `member-${++counter}@example.org`, role);

  async function push(client: TestClient, name: string): Promise<Answer[]> {
    const path = `/v2/${name}/blobs/uploads/`;
    const token = await tokenFor(world, client, `repository:${name}:pull,push`);
    const ways = [basicOf(client), token].map((authorization) => ({ headers: { authorization } }));
    return Promise.all(ways.map((how) => world.call("POST", path, how)));
  }

  /** Asserts the refusal by password and by token. */
  async function isRefused(client: TestClient, name: string, words: string): Promise<void> {
    for (const answer of await push(client, name)) assertDenied(answer, `may not push to ${name}: ${words}`);
  }

  function assertDenied(answer: Answer, words: string): void {
    assert.equal(answer.status, 403, answer.text);
    const [error] = answer.json["errors"] as { code: string; message: string }[];
    assert.equal(error?.code, "DENIED");
    assert.ok(error.message.startsWith("requested access to the resource is denied: "), error.message);
    assert.ok(error.message.includes(words), `${words}\nis not in\n${error.message}`);
  }

  test("a missing permission", async () => {
    const puller = await newClient(world, { scopes: ["registry:pull"] });
    for (const name of [nameIn(world.acme), "orgs/acme/no-such-app"])
      await isRefused(puller, name, "it was not given registry:push");
  });

  test("an app that is missing, hidden, or of another project", async () => {
    const pusher = await newClient(world, { scopes: ["registry:push"] });
    for (const name of ["orgs/acme/no-such-app", `orgs/acme/${world.acme.closedApp.slug}`, nameIn(world.rival)])
      await isRefused(pusher, name, "there is no such app, or it may not see it");
    const bound = await newClient(world, { scopes: ["registry:push"], projectId: world.acme.closed.id });
    await isRefused(
      bound,
      nameIn(world.acme),
      "it can reach the apps of one project only, and that project has no such app",
    );
  });

  test("the role of the responsible person, or that the person left or can't see the project any more", async () => {
    const { acme } = world;
    const userId = await join(acme, "developer");
    const client = await madeBy(acme, userId, ["registry:push"]);
    for (const answer of await push(client, nameIn(acme))) assert.equal(answer.status, 202, answer.text);
    await changed(acme, "PATCH", `/v1/members/${userId}`, { role: "viewer" });
    const given = "it was given registry:push, but ";
    await isRefused(
      client,
      nameIn(acme),
      `${given}the role of the person responsible for it was lowered from developer to viewer`,
    );
    assert.equal((await world.call("DELETE", `/v1/members/${userId}`, { token: owner(acme) })).status, 204);
    await isRefused(client, nameIn(acme), `${given}the person responsible for it has left the organization`);
    const tenant = await world.tenant("hides");
    const bound = await madeBy(tenant, await join(tenant, "developer"), ["registry:push"], tenant.open.id);
    await changed(tenant, "PATCH", `/v1/projects/${tenant.open.id}`, { visibility: "private" });
    await isRefused(
      bound,
      nameIn(tenant),
      `${given}its project was deleted, or is hidden from the person responsible for it`,
    );
  });

  test("the organization's policy, and an archived project", async () => {
    const tenant = await world.tenant("policy");
    const client = await madeBy(tenant, tenant.people.owner, ["registry:pull", "registry:push"]);
    await changed(tenant, "PATCH", "/v1/organization", { policy: { allowed_scopes: ["registry:pull", "org:read"] } });
    const words = "it was given registry:push, but the organization's policy forbids it for credentials";
    await isRefused(client, nameIn(tenant), words);
    await changed(tenant, "PATCH", "/v1/organization", { policy: { allowed_scopes: null } });
    await changed(tenant, "POST", `/v1/projects/${tenant.open.id}/archive`, {});
    for (const answer of await push(client, nameIn(tenant)))
      assertDenied(answer, `the project of ${nameIn(tenant)} is archived, so its images can only be pulled`);
  });

  test("the address, or a missing approval", async () => {
    const tenant = await world.tenant("bounds");
    const path = `/v2/${nameIn(tenant)}/blobs/uploads/`;
    const client = await madeBy(tenant, tenant.people.owner, ["registry:push"]);
    const token = await tokenFor(world, client, `repository:${nameIn(tenant)}:push`);
    await changed(tenant, "PATCH", `/v1/credentials/${client.id}`, { allowed_addresses: ["192.0.2.1"] });
    for (const authorization of [basicOf(client), token])
      assertDenied(await world.call("POST", path, { headers: { authorization } }), "may not be used from 127.0.0.1");
    const login = await world.call("GET", "/v2/token", { headers: { authorization: basicOf(client) } });
    assertDenied(login, "may not be used from 127.0.0.1");
    await changed(tenant, "PATCH", "/v1/organization", { policy: { approval_required: true } });
    const waiting = await madeBy(tenant, tenant.people.developer, ["registry:push"]);
    const asked = await world.call("GET", "/v2/token", { headers: { authorization: basicOf(waiting) } });
    assertDenied(asked, "waits for an approval");
  });

  test("the organization's requirements for people: a personal token counts once its person meets them", async () => {
    const tenant = await world.tenant("people");
    const deps = registryOf(world);
    const userId = await join(tenant, "developer");
    const person = await personPrincipal(world.metadata.read, tenant.id, userId, systemClock.nowMs());
    assert.ok(person !== undefined);
    const wanted = { name: "laptop", projectId: null, scopes: ["registry:pull", "registry:push"] };
    const { credential, token } = await world.identity.credentials.createPersonal({ actor: person }, person, wanted);
    const client = { id: credential.id, clientId: person.email, clientSecret: token };
    const before = await tokenFor(world, client, `repository:${nameIn(tenant)}:pull,push`);
    const app = await madeBy(tenant, userId, ["registry:push"]);
    const demand = async (policy: Partial<OrganizationPolicy>): Promise<void> => {
      await updateOrganization(deps, SYSTEM, tenant.id, { change: { policy }, ifMatch: undefined });
      await world.identity.feed.sync();
    };
    const isOut = async (words: string): Promise<void> => {
      const path = `/v2/${nameIn(tenant)}/blobs/uploads/`;
      for (const authorization of [basicOf(client), before])
        assertDenied(await world.call("POST", path, { headers: { authorization } }), words);
      for (const path of ["/v2/token", "/v2/", "/v2/_catalog"])
        assertDenied(await world.call("GET", path, { headers: { authorization: basicOf(client) } }), words);
      for (const answer of await push(app, nameIn(tenant))) assert.equal(answer.status, 202, "an app is not a person");
    };
    const isIn = async (): Promise<void> => {
      for (const answer of await push(client, nameIn(tenant))) assert.equal(answer.status, 202, answer.text);
    };
    await isIn();
    await demand({ second_factor_required: true });
    await isOut("requires a second factor");
    await world.metadata.write(async (tx) => {
      const row = { user_id: userId, secret: Buffer.alloc(1), created_at: 1, confirmed_at: 1, last_step: 0 };
      await tx.insertInto("person_totp").values(row).execute();
      await announcePersonalTokens(deps, tx, userId);
    });
    await world.identity.feed.sync();
    await isIn();
    await demand({ sign_in: "provider" });
    await isOut("requires single sign-on");
    await world.metadata.write(async (tx) => {
      const row = { issuer: "https://id.example", subject: "s", user_id: userId, created_at: 1, last_used_at: 1 };
      await tx.insertInto("external_identity").values(row).execute();
      await announcePersonalTokens(deps, tx, userId);
    });
    await world.identity.feed.sync();
    await isIn();
  });
});
