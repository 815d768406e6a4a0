/** A full disk answers 503 and keeps what it had; reads go on; it works again when there is room. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { appendFileSync, closeSync, fsyncSync, mkdtempSync, openSync, rmSync, rmdirSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { SQLITE } from "../fixtures/databases.ts";
import { refused } from "../fixtures/http.ts";
import { startServer, type Server } from "../fixtures/server.ts";
import { ingest, ingested, logEntry, rows } from "../fixtures/telemetry.ts";

const SIZE_MIB = 24;
const disk = smallDisk();
let server: Server | undefined;

/** A file system of its own of a few MiB, or why there is none. */
function smallDisk(): { path: string } | { missing: string } {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return { missing: "only root on Linux can mount a small disk" };
  const path = mkdtempSync(join(tmpdir(), "mooring-disk-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${SIZE_MIB}m`, "tmpfs", path], { stdio: "pipe" });
    return { path };
  } catch (error) {
    rmdirSync(path);
    return { missing: `a small disk cannot be mounted here: ${(error as Error).message}` };
  }
}

after(async () => {
  await server?.dispose();
  if ("missing" in disk) return;
  execFileSync("umount", ["-l", disk.path]);
  rmdirSync(disk.path);
});

/** Writes until not a byte more fits. */
function fill(path: string): void {
  const file = openSync(path, "w");
  try {
    for (let size = 1024 * 1024; size >= 1; size = Math.floor(size / 4)) {
      try {
        for (;;) writeSync(file, Buffer.alloc(size));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
      }
    }
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

const skip = "missing" in disk ? disk.missing : false;

test("a full disk: 503 for writes, answers for reads, and nothing lost or half kept", { skip }, async () => {
  assert.ok("path" in disk);
  const dataDir = join(disk.path, "data");
  const filler = join(disk.path, "filler");
  server = await startServer({ dataDir, database: SQLITE });
  const home = await server.bootstrap();
  const token = await server.token(home.credential);
  const batch = (name: string): unknown[] => Array.from({ length: 100 }, (_, i) => logEntry(`${name} ${i}`, { attributes: { text: "x".repeat(200) } }));
  const counts = async (): Promise<Record<string, number>> => {
    const sql = "select split_part(message, ' ', 1) as name, count(*) as n from logs group by all";
    const found = await rows<{ name: string; n: number }>(server as Server, token, sql);
    return Object.fromEntries(found.map((row) => [row.name, row.n]));
  };
  await ingested(server, token, "logs", batch("before"));
  fill(filler);

  for (let i = 0; i < 5; i++) {
    const answer = await ingest(server, token, "logs", batch("refused"));
    assert.equal(answer.status, 503, answer.text);
    refused(answer, 503, "disk_full");
  }
  assert.deepEqual(await counts(), { before: 100 }, "reads go on");
  assert.equal((await server.call("GET", "/livez")).status, 200);
  const change = await server.call("POST", "/v1/projects", { token, json: { slug: "no-room" } });
  assert.equal(change.status, 503, change.text);

  rmSync(filler);
  await ingested(server, token, "logs", batch("after"));
  assert.deepEqual(await counts(), { before: 100, after: 100 });
  assert.equal((await server.call("POST", "/v1/projects", { token, json: { slug: "room" } })).status, 201);
  const verified = await server.call("GET", "/v1/audit/verify", { token });
  assert.equal(verified.body["ok"], true, verified.text);

  fill(filler);
  assert.equal((await ingest(server, token, "logs", batch("refused"))).status, 503);
  await server.kill();
  rmSync(filler);
  server = await startServer({ dataDir, database: SQLITE });
  assert.deepEqual(await counts(), { before: 100, after: 100 }, "a refused batch does not appear after a restart");
  await ingested(server, token, "logs", batch("again"));
  assert.deepEqual(await counts(), { before: 100, after: 100, again: 100 });
});

test("a start on a full disk says so", { skip }, async () => {
  assert.ok("path" in disk && server !== undefined);
  await server.stop();
  const filler = join(disk.path, "filler");
  fill(filler);
  await assert.rejects(startServer({ dataDir: join(disk.path, "new"), database: SQLITE }), /full|space|ENOSPC/i);
  rmSync(filler);
  appendFileSync(join(disk.path, "probe"), "there is room");
});
