/**
 * The trash and versions on both databases, and a server that is killed while it removes due files. Every count is
 * right afterwards.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { DATABASES, type DatabaseKind } from "../fixtures/databases.ts";
import { downloadUrl, fetched, listed, uploaded, type FileBody } from "../fixtures/files.ts";
import { eventually, mooring } from "../fixtures/process.ts";
import { startServer, writeLog, type Client, type Server } from "../fixtures/server.ts";

const SETTINGS = { object_grace_ms: 5000, object_collect_ms: 100, upload_cleanup_ms: 300 };
const LARGE = "x".repeat(40_000);

interface Trash {
  readonly files: readonly { readonly id: string; readonly filename: string }[];
  readonly total: number;
  readonly bytes: number;
  readonly trash_days: number;
}

async function asked<T>(server: Server, token: string, [method, path]: [string, string], json?: object): Promise<T> {
  const answer = await server.call<{ data: T }>(method, path, { token, ...(json === undefined ? {} : { json }) });
  assert.ok(answer.status < 300, answer.text);
  return answer.body.data;
}

const trashOf = (server: Server, token: string): Promise<Trash> => asked(server, token, ["GET", "/v1/files/trash"]);

/** Returns the bytes that the quota counts. */
async function counted(server: Server, token: string): Promise<Record<string, number>> {
  const answer = await server.call<{ services: { files: Record<string, number> } }>("GET", "/v1/usage", { token });
  const { bytes = -1, count = -1, trashed_bytes: trashed = -1 } = answer.body.services.files;
  return { bytes, count, trashed };
}

/** Asserts that every reference count is right and nothing is left over, once the collector has run. */
async function scrubbed(server: Server): Promise<void> {
  await eventually("scrub to find nothing", async () => {
    const { code, stderr } = await mooring(["scrub", "--data-dir", server.dataDir], {
      environment: server.environment,
    });
    assert.ok(code === 0 || code === 1, stderr);
    return code === 0 ? true : null;
  });
}

async function withServer(
  database: DatabaseKind,
  work: (start: () => Promise<Server>, started: (server: Server) => void) => Promise<void>,
): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), "mooring-trash-"));
  const servers: Server[] = [];
  try {
    await work(
      () => startServer({ dataDir, database, settings: SETTINGS }),
      (server) => void servers.push(server),
    );
  } catch (error) {
    for (const server of servers.slice(-1)) writeLog(server);
    throw error;
  } finally {
    for (const server of servers) await server.dispose();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

for (const { kind, skip } of DATABASES) {
  test(`files are deleted, restored, copied and removed for good, records in ${kind}`, { skip }, async () => {
    await withServer(kind, async (start, started) => {
      const server = await start();
      started(server);
      const token = await server.token((await server.bootstrap()).credential);
      const versions: FileBody[] = [];
      for (const content of [LARGE, "second", "third"])
        versions.push(await uploaded(server, token, { filename: "plan.txt" }, content));
      const [first] = versions;
      assert.ok(first !== undefined);
      const copy = await asked<FileBody>(server, token, ["POST", `/v1/files/${first.id}/copy`], {});
      assert.deepEqual([copy.filename, copy.sha256, copy.size_bytes], ["plan.txt", first.sha256, 40_000]);
      const { files: names } = await asked<{ files: (FileBody & { versions: number })[] }>(server, token, [
        "GET",
        "/v1/files/names",
      ]);
      assert.deepEqual(
        names.map(({ id, filename, versions: count }) => [id, filename, count]),
        [[copy.id, "plan.txt", 4]],
      );
      assert.deepEqual(await counted(server, token), { bytes: 80_011, count: 4, trashed: 0 });

      for (const { id } of [first, copy])
        assert.equal((await server.call("DELETE", `/v1/files/${id}`, { token })).status, 204);
      assert.deepEqual(await counted(server, token), { bytes: 11, count: 2, trashed: 80_000 });
      await scrubbed(server);
      const trash = await trashOf(server, token);
      assert.deepEqual([trash.total, trash.bytes, trash.trash_days], [2, 80_000, 7]);
      assert.equal((await server.call("DELETE", `/v1/files/trash/${first.id}`, { token })).status, 204);
      await asked(server, token, ["POST", `/v1/files/${copy.id}/restore`]);
      await scrubbed(server);
      const { bytes } = await fetched(await downloadUrl(server, token, copy.id));
      assert.equal(bytes.toString(), LARGE, "the copy keeps the content after the first file is deleted");
      assert.equal((await listed(server, token)).files[0]?.id, copy.id, "it is the newest version, as before");
      assert.deepEqual(await counted(server, token), { bytes: 40_011, count: 3, trashed: 0 });
      assert.equal((await server.call("DELETE", `/v1/files/${copy.id}?permanent=true`, { token })).status, 204);
      assert.deepEqual(await counted(server, token), { bytes: 11, count: 2, trashed: 0 });
      await scrubbed(server);
    });
  });

  test(`a kill while the trash is emptied loses no count and no content, records in ${kind}`, { skip }, async () => {
    await withServer(kind, async (start, started) => {
      let server = await start();
      started(server);
      const client: Client = (await server.bootstrap()).credential;
      const token = await server.token(client);
      const kept = await uploaded(server, token, { filename: "kept.txt" }, LARGE);
      const before = server;
      const deleted = Array.from({ length: 8 }, async () => {
        for (let n = 0; n < 40; n++) {
          const { id } = await uploaded(before, token, {}, n % 4 === 0 ? LARGE : "small");
          assert.equal((await before.call("DELETE", `/v1/files/${id}`, { token })).status, 204);
        }
      });
      await Promise.all(deleted);
      assert.equal((await trashOf(server, token)).total, 320);
      // The job and a request remove due files at the same time. The kill interrupts both.
      const emptying = server.call("DELETE", "/v1/files/trash", { token }).catch(() => undefined);
      await delay(Math.random() * 60);
      await asked(server, token, ["PATCH", "/v1/files/settings"], { trash_days: 0 }).catch(() => undefined);
      await delay(Math.random() * 300);
      await server.kill();
      await emptying;
      server = await start();
      started(server);
      const again = await server.token(client);
      await asked(server, again, ["PATCH", "/v1/files/settings"], { trash_days: 0 });
      const settled = { bytes: 40_000, count: 1, trashed: 0 };
      await eventually("the job to remove due files", async () =>
        (await counted(server, again))["trashed"] === 0 ? true : null,
      );
      assert.deepEqual(await counted(server, again), settled);
      assert.equal((await trashOf(server, again)).total, 0);
      assert.equal((await fetched(await downloadUrl(server, again, kept.id))).bytes.toString(), LARGE);
      await scrubbed(server);
      const audit = await mooring(["audit", "verify", "--data-dir", server.dataDir], {
        environment: server.environment,
      });
      assert.equal(audit.code, 0, audit.stderr);
    });
  });
}
