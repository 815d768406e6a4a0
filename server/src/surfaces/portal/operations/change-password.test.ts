import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { PASSWORD, startPortal, type Ada, type Browser, type PortalServer } from "../testing/server.ts";

let server: PortalServer;
let ada: Ada;
let browser: Browser;

before(async () => {
  server = await startPortal();
});

beforeEach(async () => {
  server.forward(10 * 60_000); // failures and tries of the test before are forgotten
  ada = await server.settle();
  browser = await server.signedIn(ada);
});

after(() => server.close());

test("a new password ends the old one and every other session", async () => {
  const other = await server.signedIn(ada);
  assert.equal((await browser.call("PUT", "/api/account/password", { password: `${PASSWORD}!` })).status, 204);
  assert.equal((await other.call("GET", "/api/session")).status, 401);
  assert.equal((await browser.call("GET", "/api/session")).status, 200);
  for (const [password, status] of [
    [PASSWORD, 401],
    [`${PASSWORD}!`, 200],
  ] as const) {
    const answer = await server.browser().call("POST", "/api/sign-in/password", { email: ada.email, password });
    assert.equal(answer.status, status);
  }
});

test("a short one is refused, and nothing has changed", async () => {
  assert.equal(
    (await browser.call("PUT", "/api/account/password", { password: "short" })).json["code"],
    "invalid_body",
  );
  await server.signedIn(ada);
});
