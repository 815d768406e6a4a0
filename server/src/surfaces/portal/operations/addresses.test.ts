import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { ADDRESSES, startPortal, type PortalServer } from "../testing/server.ts";

let server: PortalServer;

before(async () => {
  server = await startPortal();
});

after(() => server.close());

test("addresses are public, as JSON", async () => {
  const response = await fetch(`${server.url}/.well-known/mooring`);
  assert.equal(response.status, 200);
  assert.match(response.headers.get("content-type") ?? "", /^application\/json/);
  assert.equal(response.headers.get("cache-control"), "max-age=300");
  assert.deepEqual(await response.json(), ADDRESSES);
});
