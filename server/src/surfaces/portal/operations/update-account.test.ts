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

test("a name is changed for all organizations at once", async () => {
  assert.deepEqual((await browser.call("PATCH", "/api/account", { name: "Lovelace" })).json, { name: "Lovelace" });
  const { json } = await browser.call("GET", "/api/session");
  const { id, name } = json["user"] as { id: string; name: string };
  assert.deepEqual([id, name], [ada.id, "Lovelace"]);
});

test("no name is refused by pointer", async () => {
  const { json } = await browser.call("PATCH", "/api/account", { name: "" });
  assert.deepEqual(
    (json["errors"] as { pointer: string }[]).map(({ pointer }) => pointer),
    ["/name"],
  );
});
