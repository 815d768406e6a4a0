import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { changeProjectState, createProject, SYSTEM, updateOrganization } from "#domain/organizations/index.ts";
import { newSecret } from "#kernel/secrets.ts";
import { ADDRESSES, PASSWORD, startPortal, type PortalServer } from "../testing/server.ts";

describe("openSetUp", () => {
  let server: PortalServer;

  before(async () => {
    server = await startPortal();
  });

  beforeEach(() => server.forward(60_000));

  after(() => server.close());

  test("shows the owner's address until the link is used", async () => {
    const { organization, owner, setupToken: token } = await server.createOrganization();
    const browser = server.browser();
    const opened = await browser.call("POST", "/api/setup/open", { token });
    const { slug, name } = organization;
    assert.deepEqual(opened.json, { email: owner.email, organization: { slug, name } });
    assert.equal((await browser.call("POST", "/api/setup", { token, name: "Ada", password: PASSWORD })).status, 201);
    assert.equal((await browser.call("POST", "/api/setup/open", { token })).json["code"], "not_found");
    assert.equal((await browser.call("POST", "/api/setup/open", {})).json["code"], "invalid_body");
  });

  test("the owner can enter another, unverified address; a used one is refused", async () => {
    const { setupToken: token } = await server.createOrganization();
    const settled = await server.createOwner();
    const browser = server.browser();
    const body = { token, name: "Ada", password: PASSWORD };
    const refused = await browser.call("POST", "/api/setup", { ...body, email: settled.email });
    assert.equal(refused.json["code"], "conflict", refused.text);
    const answer = await browser.call("POST", "/api/setup", { ...body, email: "Ada@Example.com" });
    assert.equal((answer.json["user"] as { email: string }).email, "ada@example.com", answer.text);
    const user = (await browser.call("GET", "/api/session")).json["user"] as { email: string; email_verified: boolean };
    assert.deepEqual([user.email, user.email_verified], ["ada@example.com", false]);
    const signIn = { email: "ada@example.com", password: PASSWORD };
    assert.equal((await server.browser().call("POST", "/api/sign-in/password", signIn)).json["status"], "signed_in");
  });

  test("wrong links must wait, by address; a valid one never does", async () => {
    const { owner, setupToken: token } = await server.createOrganization();
    const open = (link: string) => server.browser().call("POST", "/api/setup/open", { token: link });
    for (let n = 0; n < 40; n++) await open("x");
    assert.equal((await open("x")).json["code"], "rate_limited");
    for (let n = 0; n < 40; n++) assert.equal((await open(String(token))).json["email"], owner.email);
  });
});

describe("setUp", () => {
  const PASSWORD = "correct horse battery";

  let server: PortalServer;

  before(async () => {
    server = await startPortal();
  });

  beforeEach(() => server.forward(60_000));

  // Old attempts are forgotten.
  after(() => server.close());

  async function setUp(
    body: unknown,
  ): Promise<{ status: number; headers: Headers; text: string; json: Record<string, unknown> }> {
    const response = await fetch(`${server.url}/api/setup`, {
      method: "POST",
      headers: { "content-type": "application/json", "request-id": "request-of-test", origin: ADDRESSES.portal_url },
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

  /** Signs in with the credential of the answer. Returns its scopes. */
  async function scopesOf(answer: { json: Record<string, unknown> }): Promise<string[]> {
    const credential = answer.json["credential"] as { client_id: string; client_secret: string };
    const { client_id: clientId, client_secret: clientSecret } = credential;
    const origin = { ip: "127.0.0.1", requestId: "r" };
    return [...(await server.identity.signIn.authenticate({ clientId, clientSecret, ...origin })).scopes];
  }

  const FIRST_SCOPES = ["files:write", "registry:pull", "registry:push", "telemetry:read", "telemetry:write"];

  /** Returns the project of the answer's first credential. */
  async function projectOf(answer: { json: Record<string, unknown> }): Promise<string | null> {
    const { id } = answer.json["credential"] as { id: string };
    const { metadata } = server;
    const { project_id: projectId } = await metadata.read
      .selectFrom("credential")
      .select("project_id")
      .where("id", "=", id)
      .executeTakeFirstOrThrow();
    return projectId;
  }

  test("the set-up gives the owner a name, a password and a credential for the first steps in one project", async () => {
    const { organization, project, owner, setupToken } = await server.createOrganization();
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
    assert.deepEqual(answer.json["project"], { id: project.id, slug: project.slug });
    assert.deepEqual((await scopesOf(answer)).toSorted(), FIRST_SCOPES);
    assert.equal(await projectOf(answer), project.id);
  });

  test("the new person begins in the oldest project that everybody sees, or in a new one", async () => {
    const { organization, project, setupToken } = await server.createOrganization();
    const newer = await createProject(server, SYSTEM, organization.id, { slug: "newer" });
    await changeProjectState(server, SYSTEM, project, { act: "enter", state: "archived" });
    const answer = await setUp({ token: setupToken, name: "Ada", password: PASSWORD });
    assert.deepEqual(answer.json["project"], { id: newer.id, slug: "newer" });
    const other = await server.createOrganization();
    await changeProjectState(server, SYSTEM, other.project, { act: "enter", state: "archived" });
    const made = await setUp({ token: other.setupToken, name: "Ada", password: PASSWORD });
    assert.equal((made.json["project"] as { slug: string }).slug, "default");
    assert.equal(await projectOf(made), (made.json["project"] as { id: string }).id);
  });

  test("the first credential has the scopes that the policy allows", async () => {
    const { organization, setupToken } = await server.createOrganization();
    const change = { policy: { allowed_scopes: ["apps:read" as const, "telemetry:write" as const] } };
    await updateOrganization(server, SYSTEM, organization.id, { change, ifMatch: undefined });
    const answer = await setUp({ token: setupToken, name: "Ada", password: PASSWORD });
    assert.equal(answer.status, 201, answer.text);
    assert.deepEqual(await scopesOf(answer), ["telemetry:write"]);
  });

  test("if the policy allows none of these scopes, the account is set up without a credential", async () => {
    const { organization, setupToken } = await server.createOrganization();
    const change = { policy: { allowed_scopes: ["apps:read" as const] } };
    await updateOrganization(server, SYSTEM, organization.id, { change, ifMatch: undefined });
    const answer = await setUp({ token: setupToken, name: "Ada", password: PASSWORD });
    assert.equal(answer.status, 201, answer.text);
    assert.equal(answer.json["credential"], null);
  });

  test("used, expired, unknown and malformed links get the same answer, byte for byte", async () => {
    const used = await server.createOrganization();
    await setUp({ token: used.setupToken, name: "Ada", password: PASSWORD });
    const expired = await server.createOrganization();
    server.forward(24 * 3_600_000);
    const answers = [];
    for (const token of [used.setupToken, expired.setupToken, newSecret("mrst"), "x"]) {
      answers.push(await setUp({ token, name: "Ada", password: PASSWORD }));
    }
    assert.deepEqual([...new Set(answers.map((answer) => answer.status))], [404]);
    assert.equal(new Set(answers.map((answer) => answer.text)).size, 1);
  });

  test("a short password, no name and unknown members are refused with pointers, and the link still works", async () => {
    const { setupToken } = await server.createOrganization();
    const refused = await setUp({ token: setupToken, name: "", password: "short", role: "owner" });
    assert.equal(refused.json["code"], "invalid_body");
    const places = (refused.json["errors"] as { pointer: string }[]).map((place) => place.pointer);
    assert.deepEqual(places.toSorted(), ["/name", "/password", "/role"]);
    assert.equal((await setUp({ token: setupToken, name: "Ada", password: "x".repeat(12) })).status, 201);
  });

  test("after wrong links further ones must wait, and a valid link is still accepted", async () => {
    server.forward(15 * 60_000); // Old failures are forgotten.
    const statuses: number[] = [];
    for (let i = 0; i < 11; i++) {
      const answer = await setUp({ token: "x", name: "Ada", password: PASSWORD });
      statuses.push(answer.status);
      if (answer.status === 429) assert.match(answer.headers.get("retry-after") ?? "", /^[0-9]+$/);
    }
    assert.deepEqual(statuses, [...Array.from({ length: 10 }, () => 404), 429]);
    const { setupToken } = await server.createOrganization();
    assert.equal((await setUp({ token: setupToken, name: "Ada", password: PASSWORD })).status, 201);
  });

  test("neither a token nor a password nor a secret reaches the log or the audit log", async () => {
    const { setupToken } = await server.createOrganization();
    const answer = await setUp({ token: setupToken, name: "Ada", password: PASSWORD });
    const { client_secret: secret } = answer.json["credential"] as { client_secret: string };
    const audit = JSON.stringify(await server.metadata.read.selectFrom("audit").selectAll().execute());
    const log = server.log();
    assert.ok(log.includes("/api/setup"), "the request was not logged at all");
    for (const text of [setupToken ?? "", PASSWORD, secret]) {
      assert.ok(text !== "" && !log.includes(text) && !audit.includes(text));
    }
  });
});
