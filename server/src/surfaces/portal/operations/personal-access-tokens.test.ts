import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { goPastLimit } from "#domain/limits/testing/edge.ts";
import { SYSTEM, updateOrganization } from "#domain/organizations/index.ts";
import { startPortal, type Ada, type Browser, type PortalServer } from "../testing/server.ts";

interface Made {
  readonly token: string;
  readonly item: { readonly id: string; readonly expires_at: string | null };
}

describe("listPersonalAccessTokens", () => {
  let server: PortalServer;
  let ada: Ada;
  let browser: Browser;

  before(async () => {
    server = await startPortal();
  });

  beforeEach(async () => {
    server.forward(10 * 60_000); // Old failures and attempts are forgotten.
    ada = await server.createOwner();
    browser = await server.signedIn(ada);
  });

  after(() => server.close());

  async function make(from: Browser, change: object = {}): Promise<Made> {
    const body = { organization: ada.org, name: "laptop", scopes: ["registry:pull"], ...change };
    const made = await from.call("POST", "/api/account/tokens", body);
    assert.equal(made.status, 201, made.text);
    return made.json as unknown as Made;
  }

  test("lists the person's tokens, newest first, without their secrets", async () => {
    const [one, other] = [await make(browser), await make(browser, { name: "desk" })];
    await make(await server.signedIn(await server.join(ada, "viewer")));
    const { json, text } = await browser.call("GET", "/api/account/tokens");
    const items = json["items"] as { id: string; name: string; organization: string; scopes: string[] }[];
    assert.deepEqual(
      items.map(({ id, name, organization, scopes }) => [id, name, organization, scopes]),
      [
        [other.item.id, "desk", ada.org, ["registry:pull"]],
        [one.item.id, "laptop", ada.org, ["registry:pull"]],
      ],
    );
    assert.ok(!text.includes(one.token) && !text.includes(other.token));
  });
});

describe("createPersonalAccessToken", () => {
  let server: PortalServer;
  let ada: Ada;
  let browser: Browser;

  before(async () => {
    server = await startPortal();
  });

  beforeEach(async () => {
    server.forward(10 * 60_000); // Old failures and attempts are forgotten.
    ada = await server.createOwner();
    browser = await server.signedIn(ada);
  });

  after(() => server.close());

  async function make(from: Browser, change: object = {}): Promise<Made> {
    const body = { organization: ada.org, name: "laptop", scopes: ["registry:pull"], ...change };
    const made = await from.call("POST", "/api/account/tokens", body);
    assert.equal(made.status, 201, made.text);
    return made.json as unknown as Made;
  }

  const signIn = (token: string) =>
    server.identity.signIn.authenticate({
      clientId: ada.email,
      clientSecret: token,
      ip: "127.0.0.1",
      requestId: "r",
      takesPeople: true,
    });

  test("a token is shown once, and works with the person's address", async () => {
    const { token, item } = await make(browser);
    assert.match(token, /^mrpat_/);
    const days = (Date.parse(String(item.expires_at)) - server.clock.nowMs()) / 86_400_000;
    assert.equal(Math.round(days), 90);
    assert.deepEqual([...(await signIn(token)).scopes], ["registry:pull"]);
  });

  test("it expires at its time, or never", async () => {
    const at = new Date(server.clock.nowMs() + 3_600_000).toISOString();
    assert.equal(Date.parse(String((await make(browser, { expires_at: at })).item.expires_at)), Date.parse(at));
    assert.equal((await make(browser, { expires_at: null })).item.expires_at, null);
    const past = { organization: ada.org, name: "x", scopes: ["registry:pull"], expires_at: "2020-01-01T00:00:00Z" };
    assert.equal((await browser.call("POST", "/api/account/tokens", past)).json["code"], "invalid_body");
  });

  test("it never has more permissions than its person or the policy, in an organization of that person", async () => {
    const viewer = await server.signedIn(await server.join(ada, "viewer"));
    const body = { organization: ada.org, name: "ci", scopes: ["registry:push"] };
    const call = async (from: Browser, change: object) =>
      (await from.call("POST", "/api/account/tokens", { ...body, ...change })).json["code"];
    assert.equal(await call(viewer, {}), "insufficient_scope");
    assert.equal(await call(viewer, { organization: "no-such" }), "not_found");
    assert.equal(await call(viewer, { scopes: ["org:write"] }), "insufficient_scope");
    assert.equal(await call(viewer, { scopes: ["no:such"] }), "invalid_body");
    const change = { policy: { allowed_scopes: ["apps:read" as const] } };
    await updateOrganization(server, SYSTEM, ada.orgId, { change, ifMatch: undefined });
    assert.equal(await call(browser, {}), "forbidden");
  });

  test("the setting limits a person's tokens", () =>
    goPastLimit(server.metadata, "personal_tokens_max", (n) => {
      const body = { organization: ada.org, name: `laptop ${n}`, scopes: ["registry:pull"] };
      return browser.call("POST", "/api/account/tokens", body);
    }));
});

describe("deletePersonalAccessToken", () => {
  let server: PortalServer;
  let ada: Ada;
  let browser: Browser;

  before(async () => {
    server = await startPortal();
  });

  beforeEach(async () => {
    server.forward(10 * 60_000); // Old failures and attempts are forgotten.
    ada = await server.createOwner();
    browser = await server.signedIn(ada);
  });

  after(() => server.close());

  async function make(from: Browser, change: object = {}): Promise<Made> {
    const body = { organization: ada.org, name: "laptop", scopes: ["registry:pull"], ...change };
    const made = await from.call("POST", "/api/account/tokens", body);
    assert.equal(made.status, 201, made.text);
    return made.json as unknown as Made;
  }

  const signIn = (token: string) =>
    server.identity.signIn.authenticate({
      clientId: ada.email,
      clientSecret: token,
      ip: "127.0.0.1",
      requestId: "r",
      takesPeople: true,
    });

  test("revokes the token at once", async () => {
    const { token, item } = await make(browser);
    await signIn(token);
    const path = `/api/account/tokens/${item.id}`;
    assert.equal((await browser.call("DELETE", path)).status, 204);
    await assert.rejects(signIn(token), { code: "unauthorized" });
    assert.equal((await browser.call("DELETE", path)).json["code"], "not_found");
  });

  test("the owner of a token may revoke it without other permissions; other people can't see it", async () => {
    const viewer = await server.signedIn(await server.join(ada, "viewer"));
    const { item } = await make(viewer);
    const path = `/api/account/tokens/${item.id}`;
    assert.equal(
      (await browser.call("DELETE", path)).json["code"],
      "not_found",
      "though an owner may revoke it as a credential",
    );
    assert.equal((await viewer.call("DELETE", path)).status, 204);
  });
});
