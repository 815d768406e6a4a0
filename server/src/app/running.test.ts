import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import type { Addresses } from "./addresses.ts";
import { announceServer, findRunningServer, reachable, withdrawServer } from "./running.ts";

let dataDir = "";
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "mooring-running-"));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

const addresses = { portal_url: "http://127.0.0.1:1" } as Addresses;
const announcement = (listen: string, pid = process.pid) => ({
  addresses,
  listen,
  pid,
  started_at: "2026-11-20T08:00:00.000Z",
});

describe("the file of a running server", () => {
  test("is found while the server answers, and only its owner may read it", async () => {
    const server = createServer((_request, response) => response.end()).listen(0, "127.0.0.1");
    await once(server, "listening");
    try {
      const listen = `127.0.0.1:${(server.address() as AddressInfo).port}`;
      announceServer(dataDir, announcement(listen));
      assert.deepEqual(await findRunningServer(dataDir), announcement(listen));
      assert.equal(statSync(join(dataDir, "server.json")).mode & 0o777, 0o600);
    } finally {
      server.close();
    }
  });

  test("is ignored when its process has ended", async () => {
    const gone = spawnSync(process.execPath, ["-e", ""]).pid;
    announceServer(dataDir, announcement("127.0.0.1:9", gone));
    assert.equal(await findRunningServer(dataDir), null);
  });

  test("is ignored when the process id belongs to another program by now", async () => {
    const closed = createServer().listen(0, "127.0.0.1");
    await once(closed, "listening");
    const { port } = closed.address() as AddressInfo;
    closed.close();
    await once(closed, "close");
    announceServer(dataDir, announcement(`127.0.0.1:${port}`));
    assert.equal(await findRunningServer(dataDir), null);
  });

  test("is ignored when it is damaged or missing", async () => {
    assert.equal(await findRunningServer(dataDir), null);
    for (const content of ["", "{", "null", "[]", "{}"]) {
      writeFileSync(join(dataDir, "server.json"), content);
      assert.equal(await findRunningServer(dataDir), null);
    }
  });

  test("is deleted by its own process only", () => {
    announceServer(dataDir, announcement("127.0.0.1:9", 1));
    withdrawServer(dataDir, process.pid);
    assert.equal(existsSync(join(dataDir, "server.json")), true);
    withdrawServer(dataDir, 1);
    assert.equal(existsSync(join(dataDir, "server.json")), false);
    withdrawServer(dataDir, 1);
  });

  test("a server that listens on all addresses is reached by the loopback", () => {
    assert.deepEqual(["0.0.0.0:1", "[::]:2", "192.0.2.1:3"].map(reachable), ["127.0.0.1:1", "[::1]:2", "192.0.2.1:3"]);
  });
});
