import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { PASSWORD, startPortal, type Ada, type Browser, type PortalServer } from "../testing/server.ts";

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

test("lists where one is signed in, newest first, with what tells them apart", async () => {
  const agent = { "user-agent": "x".repeat(1000) };
  const other = server.browser();
  await other.call("POST", "/api/sign-in/password", { email: ada.email, password: PASSWORD }, agent);
  const { items } = (await browser.call("GET", "/api/account/sessions")).json as {
    items: { current: boolean; method: string; user_agent: string }[];
  };
  assert.deepEqual(
    items.map(({ current, method }) => [current, method]),
    [
      [false, "password"],
      [true, "password"],
      [false, "set_up"],
    ],
  );
  assert.equal(items[0]?.user_agent, "x".repeat(256));
});

test("those that are over are gone", async () => {
  await browser.call("POST", "/api/sign-out");
  server.forward(8 * 24 * 3_600_000);
  const fresh = await server.signedIn(ada);
  const { items } = (await fresh.call("GET", "/api/account/sessions")).json as { items: object[] };
  assert.equal(items.length, 1);
});
