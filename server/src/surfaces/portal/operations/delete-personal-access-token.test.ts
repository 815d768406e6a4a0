import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
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

interface Made {
  readonly token: string;
  readonly item: { readonly id: string; readonly expires_at: string | null };
}

async function make(from: Browser, change: object = {}): Promise<Made> {
  const body = { organization: ada.org, name: "laptop", scopes: ["registry:pull"], ...change };
  const made = await from.call("POST", "/api/account/tokens", body);
  assert.equal(made.status, 201, made.text);
  return made.json as unknown as Made;
}

const signIn = (token: string) =>
  server.identity.signIn.authenticate({
    clientId: ada.email,
    clientSecret: token,
    ip: "127.0.0.1",
    requestId: "r",
    takesPeople: true,
  });

test("ends the token at once", async () => {
  const { token, item } = await make(browser);
  await signIn(token);
  const path = `/api/account/tokens/${item.id}`;
  assert.equal((await browser.call("DELETE", path)).status, 204);
  await assert.rejects(signIn(token), { code: "unauthorized" });
  assert.equal((await browser.call("DELETE", path)).json["code"], "not_found");
});

test("whoever has a token may end it, whatever else they may; to others it is not there", async () => {
  const viewer = await server.signedIn(await server.join(ada, "viewer"));
  const { item } = await make(viewer);
  const path = `/api/account/tokens/${item.id}`;
  assert.equal(
    (await browser.call("DELETE", path)).json["code"],
    "not_found",
    "though an owner may revoke it as a credential",
  );
  assert.equal((await viewer.call("DELETE", path)).status, 204);
});
