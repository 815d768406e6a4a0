import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { startPortal, type Ada, type Browser, type PortalServer } from "../testing/server.ts";

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

test("ends the session on the server, too, and takes the cookie away", async () => {
  const { cookie } = browser;
  const answer = await browser.call("POST", "/api/sign-out");
  assert.equal(answer.status, 204, answer.text);
  assert.match(answer.headers.get("set-cookie") ?? "", /^__Host-mooring=; Path=\/; Max-Age=0;/);
  assert.equal((await server.browser(cookie).call("GET", "/api/session")).status, 401);
});

test("leaves the person's other sessions as they are", async () => {
  const other = await server.signedIn(ada);
  await browser.call("POST", "/api/sign-out");
  assert.equal((await other.call("GET", "/api/session")).status, 200);
});
