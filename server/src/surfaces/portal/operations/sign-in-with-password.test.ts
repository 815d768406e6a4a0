import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { PASSWORD, startPortal, type Ada, type Answer, type Browser, type PortalServer } from "../testing/server.ts";

let server: PortalServer;
let ada: Ada;

before(async () => {
  server = await startPortal();
  ada = await server.settle();
});

beforeEach(() => server.forward(15 * 60_000)); // the failures of the test before are forgotten

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
  const [cookie = ""] = answer.headers.getSetCookie();
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

const signIn = (browser: Browser, password: string, email = ada.email): Promise<Answer> =>
  browser.call("POST", "/api/sign-in/password", { email, password });

test("after ten failures for an account at an address it has to wait, 30 seconds at most, the right password too", async () => {
  const browser = server.browser();
  for (let i = 0; i < 10; i++) assert.equal((await signIn(browser, "x")).status, 401);
  const limited = await signIn(browser, PASSWORD);
  assert.equal(limited.status, 429);
  const firstS = Number(limited.headers.get("retry-after"));
  assert.ok(firstS > 0 && firstS <= 5, `it waits for ${firstS} s`);
  for (let i = 0; i < 6; i++) {
    server.forward(30_000);
    assert.equal((await signIn(browser, "x")).status, 401);
    const waitS = Number((await signIn(browser, "x")).headers.get("retry-after"));
    assert.ok(waitS > 0 && waitS <= 30, `it waits for ${waitS} s`);
  }
  server.forward(30_000);
  assert.equal((await signIn(browser, PASSWORD)).status, 200);
});

test("failures for other accounts, however many, keep nobody at the address from signing in", async () => {
  const other = await server.settle();
  for (let i = 0; i < 31; i++) assert.equal((await signIn(server.browser(), "x", `x${i}@example.com`)).status, 401);
  for (let i = 0; i < 12; i++) await signIn(server.browser(), "x", other.email);
  await server.signedIn(ada);
});

test("a browser in which the person signed in before is not delayed by others' failures, and no other is like it", async () => {
  const own = await server.signedIn(ada);
  assert.equal((await own.call("POST", "/api/sign-out")).status, 204);
  for (let i = 0; i < 12; i++) await signIn(server.browser(), "x");
  assert.equal((await signIn(server.browser(), PASSWORD)).status, 429, "an unknown browser at that address waits");
  assert.equal((await signIn(own, PASSWORD)).status, 200);
  const bob = await server.signedIn(await server.settle());
  assert.equal((await signIn(bob, PASSWORD)).status, 429, "another person's browser is unknown for this account");
  for (let i = 0; i < 10; i++) assert.equal((await signIn(own, "x")).status, 401);
  assert.equal((await signIn(own, PASSWORD)).status, 429, "its own failures count");
});

test("the device's cookie is no script's, and one that was altered, or is of another server, is no device", async () => {
  const answer = await signIn(server.browser(), PASSWORD);
  const line = answer.headers.getSetCookie().find((each) => each.startsWith("__Host-mooring-device=")) ?? "";
  assert.match(line, /^[^;]+; Path=\/; Max-Age=31536000; HttpOnly; Secure; SameSite=Lax$/);
  const value = /=([^;]*)/.exec(line)?.[1] ?? "";
  const bytes = Buffer.from(value, "base64url");
  const altered = Buffer.concat([bytes.subarray(0, -1), Buffer.of(0x20)]).toString("base64url");
  const foreign = Buffer.concat([Buffer.alloc(32), bytes.subarray(32)]).toString("base64url");
  for (let i = 0; i < 12; i++) await signIn(server.browser(), "x");
  const show = (cookie: string): Promise<Answer> =>
    server.browser().call(
      "POST",
      "/api/sign-in/password",
      { email: ada.email, password: PASSWORD },
      {
        cookie: `__Host-mooring-device=${cookie}`,
      },
    );
  for (const bad of [altered, foreign, "x", "A".repeat(2000), `${value.slice(0, -4)}`])
    assert.equal((await show(bad)).status, 429, bad.slice(0, 20));
  assert.equal((await show(value)).status, 200);
  server.forward(366 * 24 * 60 * 60 * 1000);
  for (let i = 0; i < 12; i++) await signIn(server.browser(), "x");
  assert.equal((await show(value)).status, 429, "after a year it is none");
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
