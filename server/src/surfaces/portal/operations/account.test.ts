import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { removeMember, SYSTEM } from "#domain/organizations/index.ts";
import { PASSWORD, startPortal, type Ada, type Browser, type PortalServer } from "../testing/server.ts";

let server: PortalServer;
let ada: Ada;
let browser: Browser;

before(async () => {
  server = await startPortal();
});

beforeEach(async () => {
  server.forward(60_000);
  ada = await server.settle();
  browser = await server.signedIn(ada);
});

after(() => server.close());

interface Listed {
  readonly items: {
    id: string;
    current: boolean;
    user_agent: string;
    method: string;
    name: string;
    scopes: string[];
  }[];
}

test("a name is changed for all organizations at once", async () => {
  assert.deepEqual((await browser.call("PATCH", "/api/account", { name: "Lovelace" })).json, { name: "Lovelace" });
  const { json } = await browser.call("GET", "/api/session");
  assert.equal((json["user"] as { name: string }).name, "Lovelace");
});

test("a new password ends the old one and every other session", async () => {
  const other = await server.signedIn(ada);
  assert.equal(
    (await browser.call("PUT", "/api/account/password", { password: "short" })).json["code"],
    "invalid_body",
  );
  assert.equal((await browser.call("PUT", "/api/account/password", { password: `${PASSWORD}!` })).status, 204);
  assert.equal((await other.call("GET", "/api/session")).status, 401);
  assert.equal((await browser.call("GET", "/api/session")).status, 200);
  const fresh = server.browser();
  const old = await fresh.call("POST", "/api/sign-in/password", { email: ada.email, password: PASSWORD });
  assert.equal(old.json["code"], "sign_in_failed");
  const changed = await fresh.call("POST", "/api/sign-in/password", { email: ada.email, password: `${PASSWORD}!` });
  assert.equal(changed.json["status"], "signed_in");
});

test("sessions are listed with what tells them apart, and each can be ended by its person alone", async () => {
  const agent = { "user-agent": "x".repeat(1000) };
  const other = server.browser();
  await other.call("POST", "/api/sign-in/password", { email: ada.email, password: PASSWORD }, agent);
  const { items } = (await browser.call("GET", "/api/account/sessions")).json as unknown as Listed;
  assert.deepEqual(
    items.map(({ current, method }) => [current, method]),
    [
      [false, "password"],
      [true, "password"],
      [false, "set_up"],
    ],
  );
  const [newest] = items;
  assert.equal(newest?.user_agent.length, 256);
  const path = `/api/account/sessions/${newest.id}`;
  const stranger = await server.signedIn(await server.settle());
  assert.equal((await stranger.call("DELETE", path)).json["code"], "not_found");
  assert.equal((await browser.call("DELETE", path)).status, 204);
  assert.equal((await other.call("GET", "/api/session")).status, 401);
  assert.equal((await browser.call("DELETE", path)).json["code"], "not_found");
});

test("all others are ended at once", async () => {
  const other = await server.signedIn(ada);
  const answer = await browser.call("POST", "/api/account/sessions/sign-out-others", {});
  assert.deepEqual(answer.json, { ended: 2 }); // the one of the set-up, too
  assert.equal((await other.call("GET", "/api/session")).status, 401);
  assert.equal((await browser.call("GET", "/api/session")).status, 200);
});

test("a personal access token is shown once, works with the person's address, and ends when it is deleted", async () => {
  const body = { organization: ada.org, name: "laptop", scopes: ["registry:pull"] };
  const made = await browser.call("POST", "/api/account/tokens", body);
  assert.equal(made.status, 201, made.text);
  const { token, item } = made.json as {
    token: string;
    item: { id: string; expires_at: string; organization: string };
  };
  assert.match(token, /^mrpat_/);
  assert.equal(item.organization, ada.org);
  const days = (Date.parse(item.expires_at) - server.clock.nowMs()) / 86_400_000;
  assert.equal(Math.round(days), 90);
  const attempt = { clientId: ada.email, clientSecret: token, ip: "127.0.0.1", requestId: "r", takesPeople: true };
  assert.deepEqual([...(await server.identity.signIn.authenticate(attempt)).scopes], ["registry:pull"]);
  const listed = (await browser.call("GET", "/api/account/tokens")).json as unknown as Listed;
  assert.deepEqual(
    listed.items.map(({ name, scopes }) => [name, scopes]),
    [["laptop", ["registry:pull"]]],
  );
  assert.ok(!JSON.stringify(listed).includes(token));
  const path = `/api/account/tokens/${item.id}`;
  const stranger = await server.signedIn(await server.settle());
  assert.equal((await stranger.call("DELETE", path)).json["code"], "not_found");
  assert.equal((await browser.call("DELETE", path)).status, 204);
  await assert.rejects(server.identity.signIn.authenticate(attempt));
  assert.equal((await browser.call("DELETE", path)).json["code"], "not_found");
});

test("a token is never more than its person, in an organization of theirs; its person may end it whatever else they may", async () => {
  const viewer = await server.join(ada, "viewer");
  const theirs = await server.signedIn(viewer);
  const body = { organization: ada.org, name: "ci", scopes: ["registry:push"] };
  assert.equal((await theirs.call("POST", "/api/account/tokens", body)).json["code"], "insufficient_scope");
  const pull = { ...body, scopes: ["registry:pull"], expires_at: null };
  assert.equal((await theirs.call("POST", "/api/account/tokens", { ...pull, organization: "no-such" })).status, 404);
  const made = await theirs.call("POST", "/api/account/tokens", pull);
  const { item } = made.json as { item: { id: string; expires_at: string | null } };
  assert.equal(item.expires_at, null);
  assert.equal((await theirs.call("DELETE", `/api/account/tokens/${item.id}`)).status, 204);
  await removeMember(server, SYSTEM, ada.orgId, { userId: viewer.id, transferCredentials: false });
  assert.equal((await theirs.call("POST", "/api/account/tokens", pull)).json["code"], "not_found");
});

test("a token for what people's tokens are not for is refused", async () => {
  const body = { organization: ada.org, name: "x", scopes: ["org:write"] };
  assert.equal((await browser.call("POST", "/api/account/tokens", body)).json["code"], "invalid_body");
});
