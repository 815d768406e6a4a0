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

async function idOf(from: Browser): Promise<string> {
  const { json } = await from.call("GET", "/api/session");
  return (json["session"] as { id: string }).id;
}

test("ends another of one's sessions, once", async () => {
  const other = await server.signedIn(ada);
  const path = `/api/account/sessions/${await idOf(other)}`;
  assert.equal((await browser.call("DELETE", path)).status, 204);
  assert.equal((await other.call("GET", "/api/session")).status, 401);
  assert.equal((await browser.call("DELETE", path)).json["code"], "not_found");
});

test("ended by itself, a session takes its cookie along", async () => {
  await browser.call("DELETE", `/api/account/sessions/${await idOf(browser)}`);
  assert.equal(browser.cookie, undefined);
});

test("to others it is not there", async () => {
  const stranger = await server.signedIn(await server.settle());
  const path = `/api/account/sessions/${await idOf(browser)}`;
  assert.equal((await stranger.call("DELETE", path)).json["code"], "not_found");
  assert.equal((await browser.call("GET", "/api/session")).status, 200);
});
