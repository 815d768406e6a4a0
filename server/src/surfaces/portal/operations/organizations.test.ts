import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { goPastLimit } from "#domain/limits/testing/edge.ts";
import { keepOrganization } from "#domain/organization-deletion/index.ts";
import { PASSWORD, startPortal, type Ada, type Browser, type PortalServer } from "../testing/server.ts";

describe("listOrganizations", () => {
  let server: PortalServer;
  let ada: Ada;
  let browser: Browser;

  before(async () => {
    server = await startPortal();
    ada = await server.createOwner(); // The first person is the operator.
  });

  beforeEach(async () => {
    server.forward(10 * 60_000); // Old attempts are forgotten.
    browser = await server.signedIn(ada);
  });

  after(() => server.close());

  test("lists every organization by its slug, with its numbers of people and projects", async () => {
    const other = await server.createOwner();
    await server.join(other, "viewer");
    const { items } = (await browser.call("GET", "/api/instance/organizations")).json as {
      items: { id: string; slug: string; members: number }[];
    };
    assert.deepEqual(
      items.map(({ id, slug, members }) => [id, slug, members]),
      [
        [ada.orgId, ada.org, 1],
        [other.orgId, other.org, 2],
      ],
    );
  });

  test("is searched by part of a slug or name, and read page after page", async () => {
    const found = async (query: string): Promise<[string[], string | null]> => {
      const { status, json, text } = await browser.call("GET", `/api/instance/organizations?${query}`);
      assert.equal(status, 200, text);
      return [(json["items"] as { slug: string }[]).map(({ slug }) => slug), json["next_cursor"] as string | null];
    };
    const [all] = await found("");
    assert.ok(all.length >= 2);
    const [first, next] = await found("limit=1");
    assert.deepEqual(await found(`limit=${all.length}&cursor=${next}`), [all.slice(1), null]);
    assert.deepEqual([first, next], [all.slice(0, 1), all[0]]);
    assert.deepEqual(await found(`q=${(all[1] ?? "").toUpperCase()}`), [[all[1]], null]);
    assert.deepEqual(await found("q=%25"), [[], null]);
  });
});

describe("createOrganization", () => {
  let server: PortalServer;
  let ada: Ada;
  let browser: Browser;

  before(async () => {
    server = await startPortal();
    ada = await server.createOwner(); // The first person is the operator.
  });

  beforeEach(async () => {
    server.forward(10 * 60_000); // Old attempts are forgotten.
    browser = await server.signedIn(ada);
  });

  after(() => server.close());

  const create = (slug: string, owner: string) =>
    browser.call("POST", "/api/instance/organizations", { slug, name: "Fresh Ltd", owner_email: owner });

  test("creates an organization, whose owner gets a link to set up the account", async () => {
    const made = await create("fresh", "New@Fresh.example");
    assert.equal(made.status, 201, made.text);
    assert.equal(made.json["name"], "Fresh Ltd");
    const [address, token] = String(made.json["setup_url"]).split("#");
    assert.equal(address, "https://portal.example/setup");
    const owner = server.browser();
    assert.equal((await owner.call("POST", "/api/setup", { token, name: "New", password: PASSWORD })).status, 201);
    const { json } = await owner.call("GET", "/api/session");
    const active = { state: "active", state_reason: null, deletes_at: null, suspended_at: null };
    const founded = { id: made.json["id"], slug: "fresh", name: "Fresh Ltd", role: "owner", ...active, refused: null };
    assert.deepEqual(json["organizations"], [founded]);
    assert.equal((json["user"] as { instance_admin: boolean }).instance_admin, false);
  });

  test("a person with an account becomes the owner without a link", async () => {
    assert.equal((await create("second", ada.email)).json["setup_url"], null);
    const { json } = await browser.call("GET", "/api/session");
    assert.ok((json["organizations"] as { slug: string }[]).some(({ slug }) => slug === "second"));
  });

  test("a used slug is a conflict", async () => {
    assert.equal((await create(ada.org, ada.email)).json["code"], "conflict");
  });

  test("the server's log names the operator", async () => {
    const rows = await server.metadata.read.selectFrom("audit").selectAll().where("org_id", "=", "").execute();
    assert.ok(rows.some((row) => row.actor_id === ada.id && row.action === "organization.create"));
  });

  test("the setting limits the number of organizations", () =>
    goPastLimit(server.metadata, "organizations_max", (n) => create(`more-${n}`, ada.email)));
});

describe("suspendOrganization and resumeOrganization", () => {
  let server: PortalServer;
  let ada: Ada;
  let browser: Browser;
  let other: Ada;

  before(async () => {
    server = await startPortal();
    ada = await server.createOwner(); // The first person is the operator.
    other = await server.createOwner();
  });

  beforeEach(async () => {
    server.forward(10 * 60_000); // Old attempts are forgotten.
    browser = await server.signedIn(ada);
  });

  after(() => server.close());

  const pathOf = (act: "suspend" | "resume", orgId = other.orgId) => `/api/instance/organizations/${orgId}/${act}`;
  const suspend = (body: object) => browser.call("POST", pathOf("suspend"), body);
  const resume = () => browser.call("POST", pathOf("resume"), {});
  const actionsOf = async (orgId: string): Promise<string[]> => {
    const rows = server.metadata.read.selectFrom("audit").select(["action", "detail"]).where("org_id", "=", orgId);
    const entries = await rows.where("action", "like", "organization.%").orderBy("seq").execute();
    return entries.map(({ action, detail }) => `${action} ${detail}`);
  };

  test("are for operators with a recent proof", async () => {
    for (const act of ["suspend", "resume"] as const) {
      const body = act === "suspend" ? { state: "blocked" } : {};
      assert.equal((await server.browser().call("POST", pathOf(act), body)).json["code"], "unauthorized");
      const owner = await server.signedIn(other);
      assert.equal((await owner.call("POST", pathOf(act), body)).json["code"], "forbidden");
      assert.equal((await browser.call("POST", pathOf(act, "org_absent"), body)).json["code"], "not_found");
    }
    server.forward(11 * 60_000);
    assert.equal((await suspend({ state: "blocked" })).json["code"], "confirmation_required");
  });

  test("change the state once, with the reason, in the audit logs of the organization and the installation", async () => {
    const before = [await actionsOf(other.orgId), await actionsOf("")];
    const made = await suspend({ state: "read_only", reason: "unpaid" });
    assert.equal(made.status, 200, made.text);
    const { state, state_reason, propagated } = made.json;
    assert.deepEqual([state, state_reason, propagated], ["read_only", "unpaid", true]);
    const again = await suspend({ state: "read_only", reason: "unpaid" });
    assert.deepEqual(again.json, made.json);
    const { items } = (await browser.call("GET", `/api/instance/organizations?q=${other.org}`)).json as {
      items: { state: string; suspended_at: string | null }[];
    };
    assert.deepEqual(
      items.map((item) => [item.state, item.suspended_at]),
      [["read_only", made.json["suspended_at"]]],
    );
    const resumed = await resume();
    assert.deepEqual([resumed.json["state"], resumed.json["state_reason"]], ["active", null]);
    assert.equal(resumed.json["suspended_at"], null);
    const written = [
      'organization.suspend {"state":{"from":"active","to":"read_only"},"reason":"unpaid"}',
      'organization.resume {"state":{"from":"read_only","to":"active"},"reason":null}',
    ];
    assert.deepEqual((await actionsOf(other.orgId)).slice(before[0]?.length), written);
    assert.deepEqual((await actionsOf("")).slice(before[1]?.length), written);
  });

  test("refuse a state or a reason that does not exist", async () => {
    for (const body of [
      {},
      { state: "active" },
      { state: "blocked", reason: "" },
      { state: "blocked", reason: "x".repeat(201) },
    ])
      assert.equal((await suspend(body)).json["code"], "invalid_body", JSON.stringify(body));
  });

  test("a member sees the state and the reason; a blocked organization gives no token, and other organizations work", async () => {
    const member = await server.signedIn(other);
    const seen = async () => {
      const { json } = await member.call("GET", "/api/session");
      const [mine] = json["organizations"] as { state: string; state_reason: string | null; refused: string | null }[];
      return [mine?.state, mine?.state_reason, mine?.refused];
    };
    const tokenOf = (organization: string) => member.call("POST", "/api/session/token", { organization });
    await suspend({ state: "read_only" });
    assert.deepEqual(await seen(), ["read_only", null, null]);
    assert.equal((await tokenOf(other.org)).status, 200);
    await suspend({ state: "blocked", reason: "abuse" });
    assert.deepEqual(await seen(), ["blocked", "abuse", "organization_blocked"]);
    const refused = await tokenOf(other.org);
    assert.deepEqual([refused.status, refused.json["code"]], [403, "organization_blocked"]);
    assert.match(String(refused.json["detail"]), /The operator's reason: abuse\./);
    assert.equal((await browser.call("POST", "/api/session/token", { organization: ada.org })).status, 200);
    await resume();
    assert.deepEqual(await seen(), ["active", null, null]);
  });
});

describe("deleteOrganizationAsOperator and keepOrganizationAsOperator", () => {
  let server: PortalServer;
  let browser: Browser;
  let other: Ada;

  before(async () => {
    server = await startPortal();
    const ada = await server.createOwner(); // The first person is the operator.
    other = await server.createOwner();
    browser = await server.signedIn(ada);
  });

  after(() => server.close());

  const path = (act = "", name = other.orgId) => `/api/instance/organizations/${name}${act}`;
  const operate = (method: string, act = "", body?: object) => browser.call(method, path(act), body);

  test("the state from before the deletion returns, and a deleted organization can't be suspended or resumed", async () => {
    await operate("POST", "/suspend", { state: "read_only", reason: "unpaid" });
    assert.equal((await operate("POST", "/keep", {})).json["code"], "conflict");
    const deleted = await operate("DELETE");
    assert.deepEqual([deleted.status, deleted.json["state"], deleted.json["state_reason"]], [200, "deleting", null]);
    const again = await operate("DELETE");
    assert.equal(again.json["deletes_at"], deleted.json["deletes_at"], "a second request changes nothing");
    assert.equal((await operate("POST", "/suspend", { state: "blocked" })).json["code"], "conflict");
    assert.equal((await operate("POST", "/resume", {})).json["code"], "conflict");
    const member = await server.signedIn(other);
    const [mine] = (await member.call("GET", "/api/session")).json["organizations"] as Record<string, unknown>[];
    assert.deepEqual(
      [mine?.["state"], mine?.["refused"], mine?.["deletes_at"]],
      ["deleting", "organization_blocked", deleted.json["deletes_at"]],
    );
    const kept = await operate("POST", "/keep", {});
    assert.deepEqual(
      [kept.status, kept.json["state"], kept.json["state_reason"], kept.json["deletes_at"]],
      [200, "read_only", "unpaid", null],
    );
    assert.equal((await browser.call("DELETE", path("", "org_absent"))).json["code"], "not_found");
    assert.equal((await browser.call("POST", path("/keep", "org_absent"), {})).json["code"], "not_found");
  });

  test("an owner keeps it with a token of their session, which reads nothing; after the grace period nobody can", async () => {
    await operate("DELETE");
    const member = await server.signedIn(other);
    const { json } = await member.call("POST", "/api/session/token", { organization: other.org });
    const token = String(json["access_token"]);
    assert.match(token, /^mrpt_/);
    await assert.rejects(server.authenticator.authenticate(token), { code: "organization_blocked" });
    const owner = await server.authenticator.authenticate(token, undefined, "keep");
    assert.deepEqual([owner.kind, owner.organization.state], ["person", "deleting"]);
    server.forward(31 * 86_400_000);
    const late = await keepOrganization(
      { metadata: server.metadata, clock: server.clock, feed: server.identity.feed, jobs: NO_JOBS },
      { actor: { kind: "system", id: null }, ip: null, requestId: null },
      other.orgId,
    ).catch((error: unknown) => error);
    assert.equal((late as { code: string }).code, "conflict");
  });
});

/** The act is refused before it changes a job. */
const NO_JOBS = { put: () => assert.fail("no job is put"), remove: () => assert.fail("no job is removed") };
