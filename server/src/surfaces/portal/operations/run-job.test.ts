import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startPortal, type Browser, type PortalServer } from "../testing/server.ts";

const PATH = "/api/instance/jobs";

let server: PortalServer;
let browser: Browser;

before(async () => {
  server = await startPortal();
  browser = await server.signedIn(await server.settle()); // the first of all: runs the server
});

after(() => server.close());

test("runs it now, and says so in the server's own log", async () => {
  let runs = 0;
  server.work.watch("sweep of things", 60_000, async () => void (runs += 1));
  const answer = await browser.call("POST", `${PATH}/${encodeURIComponent("sweep of things")}/run`, {});
  assert.equal(answer.status, 204, answer.text);
  assert.equal(runs, 1);
  const rows = await server.metadata.read.selectFrom("audit").selectAll().where("action", "=", "job.run").execute();
  assert.deepEqual(
    rows.map((row) => row.target_id),
    ["sweep of things"],
  );
});

test("not_found for what there is not, invalid_body", async () => {
  assert.equal((await browser.call("POST", `${PATH}/none/run`, {})).json["code"], "not_found");
  assert.equal((await browser.call("POST", `${PATH}/none/run`, { now: true })).json["code"], "invalid_body");
});
