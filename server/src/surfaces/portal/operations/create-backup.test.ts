import assert from "node:assert/strict";
import { test } from "node:test";
import { useOperator } from "../testing/operator.ts";

const PATH = "/api/instance/backups";

const portal = useOperator();

test("begins one, and says in the server's own log by whom", async () => {
  const answer = await portal.browser.call("POST", PATH, {});
  assert.equal(answer.status, 204, answer.text);
  assert.notEqual((await portal.browser.call("GET", PATH)).json["running_since"], null);
  const rows = await portal.server.metadata.read
    .selectFrom("audit")
    .selectAll()
    .where("action", "=", "backup.create")
    .execute();
  assert.deepEqual(
    rows.map((row) => row.actor_id),
    [portal.ada.id],
  );
});

test("conflict while one is made, and where none can be; invalid_body", async () => {
  assert.equal((await portal.browser.call("POST", PATH, {})).json["code"], "conflict");
  portal.server.backups.set({ running: null, reason: "no directory" });
  const answer = await portal.browser.call("POST", PATH, {});
  assert.equal(answer.json["code"], "conflict");
  assert.equal(answer.json["detail"], "no directory");
  assert.equal((await portal.browser.call("POST", PATH, { to: "/etc" })).json["code"], "invalid_body");
});
