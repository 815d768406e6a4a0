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

test("lists one's own, newest first, with when each was used", async () => {
  const made = new Authenticator();
  const { json: first } = await addPasskey(browser, made);
  const { json: next } = await addPasskey(browser, new Authenticator());
  await addPasskey(await server.signedIn(await server.settle()), new Authenticator());
  await signInWith(server, made);
  const { items } = (await browser.call("GET", "/api/account/passkeys")).json as {
    items: { id: unknown; last_used_at: string | null }[];
  };
  assert.deepEqual(
    items.map(({ id, last_used_at }) => [id, last_used_at !== null]),
    [
      [next["id"], false],
      [first["id"], true],
    ],
  );
});
