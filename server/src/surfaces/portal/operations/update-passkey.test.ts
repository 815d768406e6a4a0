import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { Authenticator } from "../testing/authenticator.ts";
import { addPasskey } from "../testing/passkeys.ts";
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

test("gives it another name; to others it is not there", async () => {
  const { json } = await addPasskey(browser, new Authenticator());
  const path = `/api/account/passkeys/${String(json["id"])}`;
  assert.equal((await browser.call("PATCH", path, { name: "Blue" })).json["name"], "Blue");
  const stranger = await server.signedIn(await server.settle());
  const headers = { "request-id": "same-request-id" };
  const hidden = await stranger.call("PATCH", path, { name: "Mine" }, headers);
  const absent = await stranger.call("PATCH", path.replace(/.$/, "_"), { name: "Mine" }, headers);
  assert.equal(hidden.status, 404);
  assert.equal(hidden.json["detail"], absent.json["detail"]);
});
