import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { useOperator } from "../testing/operator.ts";

const PATH = "/api/instance/backups";

describe("listBackups", () => {
  const portal = useOperator();

  const MANIFEST = {
    version: "1.2.3",
    started_at: "2026-11-22T18:15:00.000Z",
    finished_at: "2026-11-22T18:15:01.000Z",
    files: 3,
    bytes: 30,
    linked_bytes: 20,
    master_key: false,
    blobs_elsewhere: 0,
  };

  test("lists the backups and their state", async () => {
    portal.server.backups.kept.push(
      { name: "mooring-20261122T181502Z", isRunning: true, manifest: null },
      { name: "mooring-20261122T181501Z", isRunning: false, manifest: null },
      { name: "mooring-20261122T181500Z", isRunning: false, manifest: MANIFEST },
    );
    portal.server.backups.set({
      running: { startedMs: Date.UTC(2026, 10, 22, 18) },
      failure: { atMs: Date.UTC(2026, 10, 22, 17), detail: "the disk is full" },
    });
    const { status, json, text } = await portal.browser.call("GET", PATH);
    assert.equal(status, 200, text);
    const { items, ...rest } = json;
    assert.deepEqual(rest, {
      directory: "/backups",
      reason: null,
      running_since: "2026-11-22T18:00:00.000Z",
      failure: { at: "2026-11-22T17:00:00.000Z", detail: "the disk is full" },
      interval_hours: 24,
      keep: 7,
    });
    assert.deepEqual(items, [
      { name: "mooring-20261122T181502Z", state: "running", made: null },
      { name: "mooring-20261122T181501Z", state: "unfinished", made: null },
      { name: "mooring-20261122T181500Z", state: "good", made: MANIFEST },
    ]);
  });
});

describe("createBackup", () => {
  const portal = useOperator();

  test("begins a backup, and the server's log names the operator", async () => {
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

  test("conflict while a backup runs, and if none is possible; invalid_body", async () => {
    assert.equal((await portal.browser.call("POST", PATH, {})).json["code"], "conflict");
    portal.server.backups.set({ running: null, reason: "no directory" });
    const answer = await portal.browser.call("POST", PATH, {});
    assert.equal(answer.json["code"], "conflict");
    assert.equal(answer.json["detail"], "no directory");
    assert.equal((await portal.browser.call("POST", PATH, { to: "/etc" })).json["code"], "invalid_body");
  });
});

describe("deleteBackup", () => {
  const portal = useOperator();

  test("deletes a backup, and the server's log names the operator", async () => {
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

  test("not_found for other names, conflict while the backup runs", async () => {
    for (const name of ["mooring-20261122T181500Z", "..%2fdata", "none"])
      assert.equal((await portal.browser.call("DELETE", `${PATH}/${name}`)).status, 404, name);
    portal.server.backups.kept.push({ name: "mooring-20261122T181501Z", isRunning: true, manifest: null });
    assert.equal((await portal.browser.call("DELETE", `${PATH}/mooring-20261122T181501Z`)).json["code"], "conflict");
  });
});
