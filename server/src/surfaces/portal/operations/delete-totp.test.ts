import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { setUpApp } from "../testing/authenticator-app.ts";
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

test("turned off, the password is enough again, and the recovery codes are gone", async () => {
  await setUpApp(server, browser);
  assert.equal((await browser.call("DELETE", "/api/account/totp")).status, 204);
  const again = await server.signedIn(ada);
  const { json } = await again.call("GET", "/api/session");
  assert.deepEqual(json["security"], {
    has_password: true,
    has_totp: false,
    passkeys: 0,
    recovery_codes_left: 0,
    has_identity: false,
  });
});

test("where there is none, nothing happens", async () => {
  assert.equal((await browser.call("DELETE", "/api/account/totp")).status, 204);
  const rows = await server.metadata.read
    .selectFrom("audit")
    .select("action")
    .where("org_id", "=", ada.orgId)
    .execute();
  assert.ok(!rows.some(({ action }) => action === "totp.turn_off"));
});
