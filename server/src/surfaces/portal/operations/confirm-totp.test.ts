import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { codeOf, setUpApp } from "../testing/authenticator-app.ts";
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

const confirm = (code: string) => browser.call("POST", "/api/account/totp/confirm", { code });

test("the first code turns the app on, and gives ten recovery codes", async () => {
  const { json } = await browser.call("POST", "/api/account/totp", {});
  assert.equal((await confirm("000000")).json["code"], "sign_in_failed");
  const confirmed = await confirm(codeOf(server, String(json["secret"])));
  assert.equal(confirmed.status, 200, confirmed.text);
  assert.equal((confirmed.json["recovery_codes"] as string[]).length, 10);
  const session = await browser.call("GET", "/api/session");
  assert.equal((session.json["security"] as { has_totp: boolean }).has_totp, true);
});

test("without a secret, and where an app is on, there is nothing to confirm", async () => {
  assert.equal((await confirm("123456")).json["code"], "conflict");
  await setUpApp(server, browser);
  assert.equal((await confirm("123456")).json["code"], "conflict");
});
