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

test("asks for the passkeys of who is signed in", async () => {
  const made = new Authenticator();
  await addPasskey(browser, made);
  const { options } = await ask(browser, "/api/session/confirm/options");
  assert.deepEqual(
    (options["allowCredentials"] as { id: string }[]).map(({ id }) => id),
    [made.credentialId],
  );
});

test("without a passkey there is nothing to confirm by", async () => {
  assert.equal((await browser.call("POST", "/api/session/confirm/options", {})).json["code"], "conflict");
});
