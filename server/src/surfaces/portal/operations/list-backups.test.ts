import assert from "node:assert/strict";
import { test } from "node:test";
import { useOperator } from "../testing/operator.ts";

const PATH = "/api/instance/backups";

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

test("says what is kept and what is with it", async () => {
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
