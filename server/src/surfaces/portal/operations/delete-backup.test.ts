import assert from "node:assert/strict";
import { test } from "node:test";
import { useOperator } from "../testing/operator.ts";

const PATH = "/api/instance/backups";

const portal = useOperator();

test("deletes one, and says so in the server's own log", async () => {
  portal.server.backups.kept.push({ name: "mooring-20261122T181500Z", isRunning: false, manifest: null });
  const answer = await portal.browser.call("DELETE", `${PATH}/mooring-20261122T181500Z`);
  assert.equal(answer.status, 204, answer.text);
  assert.deepEqual(portal.server.backups.kept, []);
  const rows = await portal.server.metadata.read
    .selectFrom("audit")
    .selectAll()
    .where("action", "=", "backup.delete")
    .execute();
  assert.deepEqual(
    rows.map((row) => [row.actor_id, row.target_id]),
    [[portal.ada.id, "mooring-20261122T181500Z"]],
  );
});

test("not_found for what is none, conflict while it is made", async () => {
  for (const name of ["mooring-20261122T181500Z", "..%2fdata", "none"])
    assert.equal((await portal.browser.call("DELETE", `${PATH}/${name}`)).status, 404, name);
  portal.server.backups.kept.push({ name: "mooring-20261122T181501Z", isRunning: true, manifest: null });
  assert.equal((await portal.browser.call("DELETE", `${PATH}/mooring-20261122T181501Z`)).json["code"], "conflict");
});
