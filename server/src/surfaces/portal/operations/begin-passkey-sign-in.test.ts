import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { ask } from "../testing/passkeys.ts";
import { startPortal, type PortalServer } from "../testing/server.ts";

let server: PortalServer;

before(async () => {
  server = await startPortal();
});

after(() => server.close());

test("asks for any passkey of this host, opened by its person", async () => {
  const { options } = await ask(server.browser(), "/api/sign-in/passkey/options");
  assert.equal(options["rpId"], "portal.example");
  assert.equal(options["userVerification"], "required");
  assert.deepEqual(options["allowCredentials"] ?? [], []);
});

test("an address begins sixty at once, and then has to wait; a browser in which somebody signed in before does not", async () => {
  const known = await server.signedIn(await server.settle());
  let begun = 0;
  let status = 200;
  for (; status === 200 && begun < 200; begun++)
    ({ status } = await server.browser().call("POST", "/api/sign-in/passkey/options", {}));
  assert.equal(status, 429);
  assert.equal((await known.call("POST", "/api/sign-in/passkey/options", {})).status, 200);
  assert.ok(begun >= 60, "one a second may come back meanwhile");
});
