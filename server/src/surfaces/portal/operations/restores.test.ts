import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { useOperator } from "../testing/operator.ts";

const PATH = "/api/instance/restores";

describe("createRestore and listRestores", () => {
  const portal = useOperator();

  test("begins a restore with revoked credentials, and the server's log names the operator", async () => {
    const body = { kind: "project", organization: "acme", name: "shop" };
    const answer = await portal.browser.call("POST", PATH, body);
    assert.equal(answer.status, 202, answer.text);
    const { json } = await portal.browser.call("GET", PATH);
    const [restore] = json["items"] as Record<string, unknown>[];
    assert.deepEqual(restore, {
      id: answer.json["id"],
      state: "running",
      backup: null,
      ...body,
      slug: null,
      credentials: "revoked",
      started_at: "2026-11-22T18:15:00.000Z",
      ended_at: null,
      detail: null,
    });
    const rows = await portal.server.metadata.read
      .selectFrom("audit")
      .selectAll()
      .where("action", "=", "backup.restore")
      .execute();
    assert.deepEqual(
      rows.map((row) => [row.actor_id, row.target_id]),
      [[portal.ada.id, answer.json["id"]]],
    );
  });

  test("conflict while one runs; invalid_body if the part is not named", async () => {
    const file = { kind: "file", name: "file_1" };
    assert.equal((await portal.browser.call("POST", PATH, file)).json["code"], "conflict");
    for (const body of [{ kind: "file" }, { kind: "organization" }, { kind: "bucket", name: "b" }, { kind: "all" }])
      assert.equal((await portal.browser.call("POST", PATH, body)).json["code"], "invalid_body");
  });
});
