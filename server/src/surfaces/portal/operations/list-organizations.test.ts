import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { startPortal, type Ada, type Browser, type PortalServer } from "../testing/server.ts";

let server: PortalServer;
let ada: Ada;
let browser: Browser;

before(async () => {
  server = await startPortal();
  ada = await server.settle(); // the first of all: runs the server
});

beforeEach(async () => {
  server.forward(10 * 60_000); // tries of the test before are forgotten
  browser = await server.signedIn(ada);
});

after(() => server.close());

test("lists every organization by its slug, with how many are in it", async () => {
  const other = await server.settle();
  await server.join(other, "viewer");
  const { items } = (await browser.call("GET", "/api/instance/organizations")).json as {
    items: { id: string; slug: string; members: number }[];
  };
  assert.deepEqual(
    items.map(({ id, slug, members }) => [id, slug, members]),
    [
      [ada.orgId, ada.org, 1],
      [other.orgId, other.org, 2],
    ],
  );
});
