import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { goPastLimit } from "#domain/limits/testing/edge.ts";
import type { RecordLimits } from "#kernel/record-limits.ts";
import { Authenticator } from "../testing/authenticator.ts";
import { addPasskey, ask, ORIGIN } from "../testing/passkeys.ts";
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

test("adds what the browser made, under a name", async () => {
  const answer = await addPasskey(browser, new Authenticator());
  assert.equal(answer.status, 201, answer.text);
  const { name, last_used_at, synced } = answer.json;
  assert.deepEqual({ name, last_used_at, synced }, { name: "Key", last_used_at: null, synced: false });
});

test("one passkey is added once", async () => {
  const made = new Authenticator();
  assert.equal((await addPasskey(browser, made)).status, 201);
  assert.equal((await addPasskey(browser, made)).json["code"], "conflict");
});

test("another origin's, one that did not see its person, and rubbish are refused", async () => {
  assert.equal((await addPasskey(browser, new Authenticator(), "https://evil.example")).json["code"], "invalid_body");
  const blind = new Authenticator();
  blind.userVerified = false;
  assert.equal((await addPasskey(browser, blind)).json["code"], "invalid_body");
  const { ticket } = await ask(browser, "/api/account/passkeys/options");
  const rubbish = await browser.call("POST", "/api/account/passkeys", { ticket, name: "Key", response: {} });
  assert.equal(rubbish.json["code"], "invalid_body");
});

test("a ticket is its person's, for five minutes", async () => {
  const { ticket, options } = await ask(browser, "/api/account/passkeys/options");
  const body = { ticket, name: "Key", response: new Authenticator().create(options, ORIGIN) };
  const stranger = await server.signedIn(await server.settle());
  assert.equal((await stranger.call("POST", "/api/account/passkeys", body)).json["code"], "conflict");
  server.forward(5 * 60_000);
  assert.equal((await browser.call("POST", "/api/account/passkeys", body)).json["code"], "conflict");
});

test("a person has as many as the setting says, and not one more", async () => {
  const limits = server.metadata.limits as { -readonly [N in keyof RecordLimits]: number };
  // Begun while there was room, which another page has taken meanwhile.
  await goPastLimit(server.metadata, "passkeys_max", async () => {
    const limit = limits.passkeys_max;
    limits.passkeys_max = 1_000;
    const { ticket, options } = await ask(browser, "/api/account/passkeys/options");
    limits.passkeys_max = limit;
    const response = new Authenticator().create(options, ORIGIN);
    return browser.call("POST", "/api/account/passkeys", { ticket, name: "Key", response });
  });
});
