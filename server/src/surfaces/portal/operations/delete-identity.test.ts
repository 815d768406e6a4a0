import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { startProvider, type TestProvider } from "../testing/provider.ts";
import { throughProvider } from "../testing/through-provider.ts";
import { startPortal, type Ada, type Browser, type PortalServer } from "../testing/server.ts";

const PATH = "/api/account/identity";

let provider: TestProvider;
let server: PortalServer;
let ada: Ada;
let browser: Browser;

before(async () => {
  provider = await startProvider();
  server = await startPortal({ oidc: provider.settings });
});

beforeEach(async () => {
  server.forward(60_000);
  ada = await server.settle();
  browser = await server.signedIn(ada);
});

after(async () => {
  await server.close();
  provider.close();
});

async function link(as: string, by: Browser = browser): Promise<string> {
  provider.who = { sub: as };
  const begun = await by.call("POST", PATH, {});
  assert.equal(begun.status, 200, begun.text);
  return throughProvider(provider, by, begun);
}

test("unlinked: the last way in stays, and what is not linked is not found", async () => {
  await link(`gone ${ada.org}`);
  assert.equal((await browser.call("DELETE", PATH)).status, 204);
  assert.equal((await browser.call("DELETE", PATH)).json["code"], "not_found");
  await link(`last ${ada.org}`);
  await server.metadata.write((tx) =>
    tx.updateTable("person").set({ password_hash: null }).where("id", "=", ada.id).execute(),
  );
  assert.equal((await browser.call("DELETE", PATH)).json["code"], "conflict");
});

test("it takes a session and a fresh proof", async () => {
  assert.equal((await server.browser().call("DELETE", PATH)).status, 401);
  server.forward(11 * 60_000);
  assert.equal((await browser.call("DELETE", PATH)).json["code"], "confirmation_required");
});
