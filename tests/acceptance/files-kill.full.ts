/**
 * Kills during 1,000 uploads: every acknowledged file is complete, nothing else is listed, nothing is left over. Also
 * with records and content elsewhere.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { DATABASES } from "../fixtures/databases.ts";
import { killUploads, type FileKills } from "../fixtures/file-kills.ts";
import { makeBucket, s3Server, type Bucket } from "../fixtures/s3-server.ts";

const TIMEOUT_MS = 1_800_000;

async function survives(context: TestContext, kills: Omit<FileKills, "dataDir">): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), "mooring-files-kill-"));
  try {
    const { acknowledged, cut } = await killUploads({ ...kills, dataDir });
    // An upload straight to an S3 store continues without the server.
    const isCut = cut > 0 || kills.bucket?.settings["objects_s3_urls"] === "direct";
    assert.ok(acknowledged > 0 && isCut, `the kills must hit uploads: ${acknowledged} were complete, ${cut} cut`);
    context.diagnostic(`${acknowledged} files acknowledged, ${cut} uploads cut off`);
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

for (const { kind: database, skip } of DATABASES) {
  test(
    `kills under 1,000 concurrent uploads, records in ${database}`,
    { timeout: TIMEOUT_MS, skip },
    async (context) => {
      await survives(context, { rounds: database === "sqlite" ? 20 : 6, uploads: 1000, database });
    },
  );
}

async function withBucket(work: (bucket: Bucket) => Promise<void>): Promise<void> {
  await using bucket = await makeBucket(await s3Server());
  await work(bucket);
}

for (const urls of ["direct", "proxied"]) {
  const name = `kills under 64 concurrent uploads to an S3 store, ${urls}`;
  test(name, { timeout: TIMEOUT_MS }, (context) =>
    withBucket((bucket) => {
      const settings = { ...bucket.settings, objects_s3_urls: urls };
      return survives(context, { rounds: 6, uploads: 64, database: "sqlite", bucket: { ...bucket, settings } });
    }),
  );
}
