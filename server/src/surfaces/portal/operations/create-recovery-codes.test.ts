import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { setUpApp } from "../testing/authenticator-app.ts";
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

test("new codes end the old ones, and are shown this once", async () => {
  const app = await setUpApp(server, browser);
  const made = await browser.call("POST", "/api/account/recovery-codes", {});
  assert.equal(made.status, 200, made.text);
  assert.equal(made.headers.get("cache-control"), "no-store");
  const codes = made.json["recovery_codes"] as string[];
  assert.equal(new Set([...codes, ...app.recoveryCodes]).size, 20);
  for (const [code, status] of [
    [app.recoveryCodes[0], 401],
    [codes[0], 200],
  ] as const) {
    const { json } = await browser.call("POST", "/api/sign-in/password", { email: ada.email, password: PASSWORD });
    const body = { ticket: json["ticket"], code };
    assert.equal((await server.browser().call("POST", "/api/sign-in/recovery-code", body)).status, status);
  }
});

test("without an app there is nothing that they could stand in for", async () => {
  assert.equal((await browser.call("POST", "/api/account/recovery-codes", {})).json["code"], "conflict");
});
