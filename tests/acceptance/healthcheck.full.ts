/** `mooring healthcheck`, which containers run. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { mooring } from "../fixtures/process.ts";
import { useServer } from "../fixtures/server.ts";

const shared = useServer();
const empty = mkdtempSync(join(tmpdir(), "mooring-healthcheck-"));
after(() => rmSync(empty, { recursive: true }));

test("ends with 0 when the server can answer requests", async () => {
  const { dataDir, environment } = shared.server;
  const { code, stdout, stderr } = await mooring(["healthcheck", "--data-dir", dataDir], { environment });
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^200 \{"status":"ok"/);
});

test("ends with 1 and a reason when no server runs on the data directory", async () => {
  const { code, stderr } = await mooring(["healthcheck", "--data-dir", empty]);
  assert.equal(code, 1);
  assert.match(stderr, /no server runs on .*mooring-healthcheck-\w+; start one with mooring serve/);
});
