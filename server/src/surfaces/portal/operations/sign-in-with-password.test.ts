import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { PASSWORD, startPortal, type Ada, type PortalServer } from "../testing/server.ts";

let server: PortalServer;
let ada: Ada;

before(async () => {
  server = await startPortal();
  ada = await server.settle();
});

beforeEach(() => server.forward(60_000)); // the failures of the test before are forgotten

after(() => server.close());

test("a password begins a session, whose cookie no script reads", async () => {
  const browser = server.browser();
  const answer = await browser.call("POST", "/api/sign-in/password", {
    email: ada.email.toUpperCase(),
    password: PASSWORD,
  });
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual(answer.json, { status: "signed_in", ticket: null, methods: [] });
  assert.equal(answer.headers.get("cache-control"), "no-store");
  const cookie = answer.headers.get("set-cookie") ?? "";
  assert.match(cookie, /^__Host-mooring=[A-Za-z0-9_-]{43}; Path=\/; Max-Age=2592000; HttpOnly; Secure; SameSite=Lax$/);
  const session = await browser.call("GET", "/api/session");
  assert.equal(session.status, 200, session.text);
  assert.equal((session.json["user"] as { email: string }).email, ada.email);
  assert.equal((session.json["session"] as { method: string }).method, "password");
});

test("signing in again gives another secret and ends the session before", async () => {
  const browser = await server.signedIn(ada);
  const before = browser.cookie;
  await browser.call("POST", "/api/sign-in/password", { email: ada.email, password: PASSWORD });
  assert.notEqual(browser.cookie, before);
  const stolen = server.browser(before);
  assert.equal((await stolen.call("GET", "/api/session")).status, 401);
});

test("an unknown address, a wrong password and an account without one are answered alike, byte for byte", async () => {
  const { owner } = await server.found();
  const headers = { "request-id": "same-request-id" };
  const bodies = [
    { email: "nobody@example.com", password: PASSWORD },
    { email: ada.email, password: "wrong" },
    { email: owner.email, password: PASSWORD },
  ];
  const texts = new Set<string>();
  for (const body of bodies) {
    const answer = await server.browser().call("POST", "/api/sign-in/password", body, headers);
    assert.equal(answer.status, 401);
    assert.equal(answer.json["code"], "sign_in_failed");
    assert.equal(answer.headers.get("www-authenticate"), null);
    assert.equal(answer.headers.get("set-cookie"), null);
    texts.add(answer.text);
  }
  assert.equal(texts.size, 1);
});

test("ten failures for an account in a minute are enough, for the right password too; others are not kept out", async () => {
  const browser = server.browser();
  for (let i = 0; i < 10; i++)
    assert.equal(
      (await browser.call("POST", "/api/sign-in/password", { email: ada.email, password: "x" })).status,
      401,
    );
  const limited = await browser.call("POST", "/api/sign-in/password", { email: ada.email, password: PASSWORD });
  assert.equal(limited.status, 429);
  assert.match(limited.headers.get("retry-after") ?? "", /^[0-9]+$/);
  const other = await server.settle();
  await server.signedIn(other);
  server.forward(60_000);
  await server.signedIn(ada);
});

test("thirty failures from an address in a minute are enough, whoever they are for", async () => {
  const browser = server.browser();
  const statuses = [];
  for (let i = 0; i < 31; i++) {
    const answer = await browser.call("POST", "/api/sign-in/password", { email: `x${i}@example.com`, password: "x" });
    statuses.push(answer.status);
  }
  assert.deepEqual(statuses, [...Array.from({ length: 30 }, () => 401), 429]);
});

test("another site's request is refused, whatever it says", async () => {
  const body = { email: ada.email, password: PASSWORD };
  for (const headers of [
    { origin: "https://evil.example" },
    { origin: "null" },
    { origin: "" },
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
  ]) {
    const answer = await server.browser().call("POST", "/api/sign-in/password", body, headers);
    assert.equal(answer.status, 403, answer.text);
    assert.equal(answer.json["code"], "cross_site");
  }
});

test("a refusal is in the audit log of the person's organization, without what was tried", async () => {
  await server.browser().call("POST", "/api/sign-in/password", { email: ada.email, password: "not the password" });
  server.forward(60_000);
  await server.flushRefusals();
  const rows = await server.metadata.read
    .selectFrom("audit")
    .selectAll()
    .where("action", "=", "session.refuse")
    .execute();
  const own = rows.filter((row) => row.org_id === ada.orgId && row.target_id === ada.id);
  assert.ok(own.length > 0);
  assert.ok(!JSON.stringify(rows).includes("not the password"));
});

test("a request without address or password is refused by pointer", async () => {
  const answer = await server.browser().call("POST", "/api/sign-in/password", { email: "no address" });
  assert.equal(answer.json["code"], "invalid_body");
});
