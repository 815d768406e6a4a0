import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { Authenticator } from "../testing/authenticator.ts";
import { addPasskey, signInWith } from "../testing/passkeys.ts";
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

async function pathOf(made: Authenticator): Promise<string> {
  const { json } = await addPasskey(browser, made);
  return `/api/account/passkeys/${String(json["id"])}`;
}

test("a passkey that was removed signs nobody in", async () => {
  const made = new Authenticator();
  const path = await pathOf(made);
  assert.equal((await browser.call("DELETE", path)).status, 204);
  assert.equal((await signInWith(server, made)).answer.json["code"], "sign_in_failed");
  assert.equal((await browser.call("DELETE", path)).json["code"], "not_found");
});

test("to others it is not there", async () => {
  const path = await pathOf(new Authenticator());
  const stranger = await server.signedIn(await server.settle());
  assert.equal((await stranger.call("DELETE", path)).json["code"], "not_found");
});

test("the last way in stays", async () => {
  const path = await pathOf(new Authenticator());
  await server.metadata.write(async (tx) => {
    await tx.updateTable("person").set({ password_hash: null }).where("id", "=", ada.id).execute();
  });
  assert.equal((await browser.call("DELETE", path)).json["code"], "conflict");
  await pathOf(new Authenticator());
  assert.equal((await browser.call("DELETE", path)).status, 204);
});
