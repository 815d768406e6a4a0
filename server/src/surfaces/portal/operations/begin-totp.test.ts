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

test("gives a secret to type and to scan, which does not count yet", async () => {
  const { status, json, headers } = await browser.call("POST", "/api/account/totp", {});
  assert.equal(status, 200);
  assert.equal(headers.get("cache-control"), "no-store");
  const [secret, label] = [String(json["secret"]), encodeURIComponent(ada.email)];
  assert.match(secret, /^[A-Z2-7]{32}$/);
  const form = "algorithm=SHA1&digits=6&period=30";
  assert.equal(json["uri"], `otpauth://totp/Mooring:${label}?issuer=Mooring&secret=${secret}&${form}`);
  await server.signedIn(ada); // by password alone
});

test("asked again before it counts, it is another one; while one counts, none", async () => {
  const first = await browser.call("POST", "/api/account/totp", {});
  const next = await browser.call("POST", "/api/account/totp", {});
  assert.notEqual(next.json["secret"], first.json["secret"]);
  await setUpApp(server, browser);
  assert.equal((await browser.call("POST", "/api/account/totp", {})).json["code"], "conflict");
});

test("neither secret nor codes are in the records as they are, nor in the log", async () => {
  const { secret, recoveryCodes } = await setUpApp(server, browser);
  const rows = JSON.stringify([
    await server.metadata.read.selectFrom("person_totp").selectAll().execute(),
    await server.metadata.read.selectFrom("recovery_code").selectAll().execute(),
    await server.metadata.read.selectFrom("audit").selectAll().execute(),
  ]);
  for (const text of [secret, ...recoveryCodes]) assert.ok(!rows.includes(text) && !server.log().includes(text));
});
