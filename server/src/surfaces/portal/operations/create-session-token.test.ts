import { trustedClock } from "#kernel/testing.ts";
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { changeRole, personPrincipal, removeMember, SYSTEM } from "#domain/organizations/index.ts";
import { createPeople, withPeople } from "#domain/people/index.ts";
import { ADDRESSES, startPortal, type Ada, type Browser, type PortalServer } from "../testing/server.ts";

let server: PortalServer;
let ada: Ada;
let browser: Browser;
let token: string;

before(async () => {
  server = await startPortal();
});

beforeEach(async () => {
  server.forward(60_000);
  ada = await server.settle();
  browser = await server.signedIn(ada);
  token = await tokenOf(browser, ada);
});

after(() => server.close());

async function tokenOf(from: Browser, { org }: Ada): Promise<string> {
  const answer = await from.call("POST", "/api/session/token", { organization: org });
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.headers.get("cache-control"), "no-store");
  assert.equal(answer.json["expires_in"], 300);
  return String(answer.json["access_token"]);
}

const authenticate = (text: string) => server.authenticator.authenticate(text);
const refused = (text: string) => assert.rejects(authenticate(text), { code: "invalid_token" });

test("a token holds what the person's roles hold, in that organization", async () => {
  const principal = await authenticate(token);
  assert.ok(principal.kind === "person");
  const { confirmedAtMs = 0, standing, ...rest } = principal;
  assert.deepEqual(standing, { byProvider: false, hasSecondFactor: false }, "signed in by the password alone");
  assert.ok(server.clock.nowMs() - confirmedAtMs < 60_000, "when the person proved who they are");
  assert.deepEqual(rest, await personPrincipal(server.metadata.read, ada.orgId, ada.id));
});

test("it ends after five minutes", async () => {
  server.forward(299_000);
  await authenticate(token);
  server.forward(2_000);
  await refused(token);
});

test("it ends with its session at once: by sign-out, and when the session is ended elsewhere", async () => {
  await browser.call("POST", "/api/sign-out");
  await refused(token);
  const one = await server.signedIn(ada);
  const its = await tokenOf(one, ada);
  const other = await server.signedIn(ada);
  await other.call("POST", "/api/account/sessions/sign-out-others", {});
  await refused(its);
});

test("another node takes it, and refuses it as soon as the session has ended on this one", async () => {
  const { metadata, clock, identity } = server;
  const node = createPeople({
    metadata,
    clock: trustedClock(clock),
    identity,
    portalUrl: ADDRESSES.portal_url,
    oidc: null,
  });
  const elsewhere = withPeople(node, identity.authenticator);
  assert.equal((await elsewhere.authenticate(token)).id, ada.id);
  await browser.call("POST", "/api/sign-out");
  await assert.rejects(elsewhere.authenticate(token), { code: "invalid_token" });
});

test("it is good while the session goes on under another secret", async () => {
  const { cookie } = browser;
  const confirmed = await browser.call("POST", "/api/session/confirm", { password: "correct horse battery" });
  assert.equal(confirmed.status, 200, confirmed.text);
  assert.notEqual(browser.cookie, cookie);
  await authenticate(token);
});

test("a lowered role and a removal count at the next request", async () => {
  const other = await server.join(ada, "admin");
  const theirs = await tokenOf(await server.signedIn(other), other);
  assert.ok((await authenticate(theirs)).scopes.has("org:write"));
  await changeRole(server, SYSTEM, ada.orgId, { userId: other.id, role: "viewer" });
  assert.ok(!(await authenticate(theirs)).scopes.has("org:write"));
  await removeMember(server, SYSTEM, ada.orgId, { userId: other.id, transferCredentials: false });
  await refused(theirs);
});

test("an organization of others is not found, alike one that is not there", async () => {
  const { organization } = await server.found();
  const headers = { "request-id": "same-request-id" };
  const hidden = await browser.call("POST", "/api/session/token", { organization: organization.slug }, headers);
  const absent = await browser.call("POST", "/api/session/token", { organization: "no-such" }, headers);
  assert.equal(hidden.status, 404);
  assert.equal(hidden.text, absent.text);
});

test("an altered token, one of another installation and rubbish are refused", async () => {
  const at = token.length - 4;
  const altered = token.slice(0, at) + (token[at] === "A" ? "B" : "A") + token.slice(at + 1);
  const other = await startPortal();
  try {
    const theirs = await tokenOf(await other.signedIn(await other.settle()), { ...ada, org: "org-1" });
    for (const bad of [altered, theirs, "mrpt_", "mrpt_AAAA", `mrpt_${"A".repeat(600)}`, `${token}.${token}.x`])
      await refused(bad);
  } finally {
    await other.close();
  }
});

test("it is no token of a credential: what takes those refuses it", async () => {
  await assert.rejects(server.identity.tokens.verifier.verify(token), { code: "invalid_token" });
  await assert.rejects(server.identity.authenticator.authenticate(token), { code: "invalid_token" });
});

test("a cookie opens no public operation, and a token opens no session row", async () => {
  const withToken = await server.api(token, "GET", "/api/session");
  assert.equal(withToken.status, 401);
  assert.equal(withToken.json["code"], "unauthorized");
});
