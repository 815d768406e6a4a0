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

test("deletes one, and says so in the server's own log", async () => {
  server.backups.kept.push({ name: "mooring-20261122T181500Z", isRunning: false, manifest: null });
  const answer = await browser.call("DELETE", `${PATH}/mooring-20261122T181500Z`);
  assert.equal(answer.status, 204, answer.text);
  assert.deepEqual(server.backups.kept, []);
  const rows = await server.metadata.read
    .selectFrom("audit")
    .selectAll()
    .where("action", "=", "backup.delete")
    .execute();
  assert.deepEqual(
    rows.map((row) => [row.actor_id, row.target_id]),
    [[ada.id, "mooring-20261122T181500Z"]],
  );
});

test("not_found for what is none, conflict while it is made", async () => {
  for (const name of ["mooring-20261122T181500Z", "..%2fdata", "none"])
    assert.equal((await browser.call("DELETE", `${PATH}/${name}`)).status, 404, name);
  server.backups.kept.push({ name: "mooring-20261122T181501Z", isRunning: true, manifest: null });
  assert.equal((await browser.call("DELETE", `${PATH}/mooring-20261122T181501Z`)).json["code"], "conflict");
});
