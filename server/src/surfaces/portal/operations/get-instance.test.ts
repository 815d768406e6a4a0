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

test("shows the server, its nodes, keys and checks", async () => {
  await server.identity.start();
  const { status, json, text } = await browser.call("GET", "/api/instance");
  assert.equal(status, 200, text);
  const { version, objects, telemetry, metadata, checks } = json;
  assert.deepEqual(
    { version, objects, telemetry, metadata },
    { version: "1.2.3", objects: "filesystem", telemetry: "embedded", metadata: server.metadata.dialect },
  );
  assert.deepEqual(checks, [{ name: "disk", state: "warning", detail: "900 MiB free" }]);
  const nodes = json["nodes"] as { current: boolean; applied_change: number }[];
  assert.deepEqual(
    nodes.map(({ current, applied_change }) => [current, applied_change]),
    [[true, json["latest_change"]]],
  );
  const keys = json["signing_keys"] as { alg: string; state: string }[];
  assert.deepEqual(keys.map(({ alg, state }) => `${alg} ${state}`).toSorted(), ["ES256 active", "RS256 active"]);
  assert.ok(!text.includes("private"));
});
