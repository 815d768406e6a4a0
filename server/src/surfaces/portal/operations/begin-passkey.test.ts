import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { Authenticator } from "../testing/authenticator.ts";
import { addPasskey, ask } from "../testing/passkeys.ts";
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

test("asks for what makes it a passkey: kept in the authenticator, opened by its person, not there yet", async () => {
  const made = new Authenticator();
  await addPasskey(browser, made);
  const { options } = await ask(browser, "/api/account/passkeys/options");
  assert.deepEqual(options["rp"], { id: "portal.example", name: "Mooring" });
  const selection = options["authenticatorSelection"] as Record<string, unknown>;
  assert.equal(selection["residentKey"], "required");
  assert.equal(selection["userVerification"], "required");
  const known = options["excludeCredentials"] as { id: string }[];
  assert.deepEqual(
    known.map(({ id }) => id),
    [made.credentialId],
  );
});

test("who has as many as may be is told before the key is asked", async () => {
  for (let i = 0; i < 20; i++) assert.equal((await addPasskey(browser, new Authenticator())).status, 201);
  assert.equal((await browser.call("POST", "/api/account/passkeys/options", {})).json["code"], "limit_reached");
});
