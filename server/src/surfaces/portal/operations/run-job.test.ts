import assert from "node:assert/strict";
import { test } from "node:test";
import { useOperator } from "../testing/operator.ts";

const PATH = "/api/instance/jobs";

const portal = useOperator();

test("runs it now, and says so in the server's own log", async () => {
  let runs = 0;
  portal.server.work.watch("sweep of things", 60_000, async () => void (runs += 1));
  const answer = await portal.browser.call("POST", `${PATH}/${encodeURIComponent("sweep of things")}/run`, {});
  assert.equal(answer.status, 204, answer.text);
  assert.equal(runs, 1);
  const rows = await portal.server.metadata.read
    .selectFrom("audit")
    .selectAll()
    .where("action", "=", "job.run")
    .execute();
  assert.deepEqual(
    rows.map((row) => row.target_id),
    ["sweep of things"],
  );
});

test("not_found for what there is not, invalid_body", async () => {
  assert.equal((await portal.browser.call("POST", `${PATH}/none/run`, {})).json["code"], "not_found");
  assert.equal((await portal.browser.call("POST", `${PATH}/none/run`, { now: true })).json["code"], "invalid_body");
});
