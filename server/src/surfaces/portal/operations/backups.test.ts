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
    added_bytes: 20,
    master_key: false,
    blobs_elsewhere: 0,
  };

  test("lists the backups and their state", async () => {
    portal.server.backups.kept.push(
      { name: "20261122T181501Z", fault: "it was altered", made: null },
      { name: "20261122T181500Z", fault: null, made: MANIFEST },
    );
    const failure = { at: "2026-11-22T17:00:00.000Z", detail: "the disk is full" };
    const trial = { at: "2026-11-22T16:00:00.000Z", ok: true, backup: "20261121T181500Z", detail: "3 files" };
    const key = { id: "0011223344556677", confirmed: false };
    const running = { task: "backup", startedMs: Date.UTC(2026, 10, 22, 18) } as const;
    portal.server.backups.set({ running, failure, trial, key, lastSuccessAt: MANIFEST.started_at });
    const { status, json, text } = await portal.browser.call("GET", PATH);
    assert.equal(status, 200, text);
    const { items, ...rest } = json;
    assert.deepEqual(rest, {
      directory: "/backups",
      reason: null,
      running: "backup",
      running_since: "2026-11-22T18:00:00.000Z",
      failure,
      last_success_at: MANIFEST.started_at,
      interval_hours: 24,
      keep: { latest: 7, hourly: 24, daily: 7, weekly: 4, monthly: 6 },
      key,
      trial,
    });
    assert.deepEqual(items, [
      { name: "20261122T181501Z", state: "damaged", fault: "it was altered", made: null },
      { name: "20261122T181500Z", state: "good", fault: null, made: MANIFEST },
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
    portal.server.backups.kept.push({ name: "20261122T181500Z", fault: null, made: null });
    const answer = await portal.browser.call("DELETE", `${PATH}/20261122T181500Z`);
    assert.equal(answer.status, 204, answer.text);
    assert.deepEqual(portal.server.backups.kept, []);
    const rows = await portal.server.metadata.read
      .selectFrom("audit")
      .selectAll()
      .where("action", "=", "backup.delete")
      .execute();
    assert.deepEqual(
      rows.map((row) => [row.actor_id, row.target_id]),
      [[portal.ada.id, "20261122T181500Z"]],
    );
  });

  test("not_found for other names, conflict while the backup runs", async () => {
    for (const name of ["20261122T181500Z", "..%2fdata", "none"])
      assert.equal((await portal.browser.call("DELETE", `${PATH}/${name}`)).status, 404, name);
    portal.server.backups.kept.push({ name: "20261122T181501Z", fault: null, made: null });
    portal.server.backups.set({ running: { task: "backup", startedMs: 1 } });
    assert.equal((await portal.browser.call("DELETE", `${PATH}/20261122T181501Z`)).json["code"], "conflict");
  });
});
