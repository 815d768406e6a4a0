import { trustedClock } from "#kernel/testing.ts";
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { DatabaseSync } from "node:sqlite";
import { newId } from "#kernel/ids.ts";
import { systemClock } from "#kernel/time.ts";
import { openMetadata } from "#stores/metadata/index.ts";
import { openObjects } from "#stores/objects/index.ts";
import { CONTENT_COLUMNS } from "./scrub.ts";

const MAIN = fileURLToPath(new URL("../../../bin/mooring.mjs", import.meta.url));

function scrub(dataDir: string, ...args: string[]): { status: number | null; stdout: string; stderr: string } {
  // Leaves out variables that name servers for tests, because they are not settings.
  const env = { PATH: process.env["PATH"] ?? "" };
  return spawnSync(process.execPath, [MAIN, "scrub", "--data-dir", dataDir, ...args], { encoding: "utf8", env });
}

test("scrub beside an open store reports no fault, and after damage reports the fault and fails", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "mooring-scrub-"));
  const metadata = await openMetadata({ url: undefined, dataDir, clock: trustedClock(systemClock) });
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  const objects = await openObjects({ dataDir, metadata, clock: trustedClock(systemClock), log });
  try {
    const staged = await objects.write("org_1", Buffer.alloc(100_000, 1), { bytesMax: 100_000 });
    const clean = scrub(dataDir);
    assert.equal(clean.status, 0, clean.stderr);
    assert.match(clean.stdout, /^ok {8}checked 0 blobs of 0\.0 MiB in the records, and 1 files in the store/);
    // Links the content, but no row refers to it, so the count is wrong. Then also cuts the content.
    await metadata.write((tx) => objects.link(tx, "org_1", staged));
    assert.match(
      scrub(dataDir, "--quick").stdout,
      new RegExp(`^count {5}${staged.id}: it has 0 references, but its row counts 1\nFAIL`),
    );
    const [shard = ""] = readdirSync(join(dataDir, "objects/blobs"));
    truncateSync(join(dataDir, "objects/blobs", shard, staged.id), 5);
    const damaged = scrub(dataDir, "--json");
    assert.equal(damaged.status, 1, damaged.stderr);
    const lines = damaged.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      lines.slice(0, -1).map(({ kind, what }) => `${kind} ${what}`),
      [`missing ${staged.id}`, `count ${staged.id}`],
    );
    assert.equal(lines.at(-1).findings, 2);
    assert.equal(scrub(dataDir, "too", "much").status, 2);
  } finally {
    await objects.close();
    await metadata.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
});

test("scrub deletes content without a record on request", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "mooring-scrub-"));
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  const metadata = await openMetadata({ url: undefined, dataDir, clock: trustedClock(systemClock) });
  try {
    await (await openObjects({ dataDir, metadata, clock: trustedClock(systemClock), log })).close();
    const id = newId("blob", systemClock.nowMs() - 7_200_000);
    const shard = join(dataDir, "objects/blobs", id.slice(-2));
    mkdirSync(shard, { recursive: true });
    writeFileSync(join(shard, id), "nobody's");
    const found = scrub(dataDir);
    assert.equal(found.status, 1);
    assert.match(found.stdout, new RegExp(`^orphan    ${id}: 8 bytes`));
    const deleted = scrub(dataDir, "--delete-orphans");
    assert.equal(deleted.status, 0, deleted.stderr);
    assert.match(deleted.stdout, new RegExp(`^deleted   ${id}: 8 bytes\nok .*and deleted 1 of them\n$`));
    assert.deepEqual(readdirSync(shard), []);
    assert.equal(scrub(dataDir).status, 0);
  } finally {
    await metadata.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
});

test("scrub reads every column of the records that refers to content", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "mooring-scrub-"));
  await (await openMetadata({ url: undefined, dataDir, clock: trustedClock(systemClock) })).close();
  const db = new DatabaseSync(join(dataDir, "mooring.db"), { readOnly: true });
  const holders = db
    .prepare(
      `select t.name as "table", k."from" as "column" from sqlite_schema as t, pragma_foreign_key_list(t.name) as k
       where t.type = 'table' and k."table" = 'blob' and t.name not in ('blob_data', 'blob_part')`,
    )
    .all();
  db.close();
  rmSync(dataDir, { recursive: true, force: true });
  assert.deepEqual(
    holders.map((row) => ({ ...row })),
    CONTENT_COLUMNS.map(({ table, column }) => ({ table, column })),
  );
});
