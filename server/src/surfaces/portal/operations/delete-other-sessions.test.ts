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

test("ends every session but this one, and says how many", async () => {
  const other = await server.signedIn(ada);
  const stranger = await server.signedIn(await server.settle());
  const answer = await browser.call("POST", "/api/account/sessions/sign-out-others", {});
  assert.deepEqual(answer.json, { ended: 2 }); // the one of the set-up, too
  assert.equal((await other.call("GET", "/api/session")).status, 401);
  for (const from of [browser, stranger]) assert.equal((await from.call("GET", "/api/session")).status, 200);
});
