import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startPortal, type Ada, type Browser, type PortalServer } from "../testing/server.ts";

const PATH = "/api/instance/backups";

let server: PortalServer;
let ada: Ada;
let browser: Browser;

before(async () => {
  server = await startPortal();
  ada = await server.settle(); // the first of all: runs the server
  browser = await server.signedIn(ada);
});

after(() => server.close());

test("begins one, and says in the server's own log by whom", async () => {
  const answer = await browser.call("POST", PATH, {});
  assert.equal(answer.status, 204, answer.text);
  assert.notEqual((await browser.call("GET", PATH)).json["running_since"], null);
  const rows = await server.metadata.read
    .selectFrom("audit")
    .selectAll()
    .where("action", "=", "backup.create")
    .execute();
  assert.deepEqual(
    rows.map((row) => row.actor_id),
    [ada.id],
  );
});

test("conflict while one is made, and where none can be; invalid_body", async () => {
  assert.equal((await browser.call("POST", PATH, {})).json["code"], "conflict");
  server.backups.set({ running: null, reason: "no directory" });
  const answer = await browser.call("POST", PATH, {});
  assert.equal(answer.json["code"], "conflict");
  assert.equal(answer.json["detail"], "no directory");
  assert.equal((await browser.call("POST", PATH, { to: "/etc" })).json["code"], "invalid_body");
});
