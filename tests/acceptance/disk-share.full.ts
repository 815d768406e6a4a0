/** One of several organizations can't fill the disk, and granted uploads together fit on it. */
import assert from "node:assert/strict";
import { statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { test, type TestContext } from "node:test";
import { askUpload, granted, uploaded } from "../fixtures/files.ts";
import { refused } from "../fixtures/http.ts";
import { eventually } from "../fixtures/process.ts";
import { startServer, type Server, type Settings } from "../fixtures/server.ts";
import { ingest, ingested, logEntry } from "../fixtures/telemetry.ts";

const KIB = 1024;
const GIB = 1024 ** 3;
const { bavail, bsize } = statfsSync(tmpdir());

async function tokenIn(server: Server, org: string): Promise<string> {
  const home = await server.bootstrap({ org, project: "shop", app: `${org}-app` });
  return server.token(home.credential);
}

async function started(t: TestContext, settings: Settings): Promise<Server> {
  const server = await startServer({ settings });
  t.after(() => server.dispose());
  return server;
}

test("with several organizations, each has a share of the disk until the operator decides", async (t) => {
  const server = await started(t, { organization_stored_bytes_max: 200 * KIB });
  const token = await tokenIn(server, "acme");
  await uploaded(server, token, {}, "x".repeat(300 * KIB));
  await uploaded(server, token, {}, "the only organization has no share");
  const other = await tokenIn(server, "globex");
  const { detail } = await eventually(
    "the share is measured",
    async () => {
      const answer = await askUpload(server, token, { size_bytes: 10 });
      return answer.status === 200 ? null : refused(answer, 413, "storage_quota_exceeded");
    },
    60_000,
  );
  assert.match(detail, /quota of the organization.*ask the operator/);
  const sent = await ingest(server, token, "logs", [logEntry("refused")]);
  assert.match(refused(sent, 429, "quota_exceeded").detail, /quota of the organization/);
  await uploaded(server, other, {}, "another organization");
  await ingested(server, other, "logs", [logEntry("accepted")]);
});

test("grants fit on the disk together, and unused ones end with their URL", async (t) => {
  const settings = {
    disk_floor_bytes: Math.max(0, bavail * bsize - 8 * GIB),
    files_size_bytes_max: 100 * GIB,
    presigned_url_lifetime_s: 3,
    upload_cleanup_ms: 100,
  };
  const server = await started(t, settings);
  const token = await tokenIn(server, "acme");
  const size = 5 * GIB;
  await granted(server, token, { size_bytes: size });
  const { detail } = refused(await askUpload(server, token, { size_bytes: size }), 503, "disk_full");
  assert.match(detail, /5368709120 of them are granted/);
  await eventually(
    "the unused grant has ended",
    async () => ((await askUpload(server, token, { size_bytes: size })).status === 200 ? true : null),
    30_000,
  );
});
