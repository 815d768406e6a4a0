/** The quota of images after a server was killed during pushes: nothing stays reserved, and nothing stays on disk. */
import { randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { eventually } from "../fixtures/process.ts";
import { digestOf, newRepository, registryRefused, repositoryOf } from "../fixtures/registry.ts";
import { startServer } from "../fixtures/server.ts";

const MIB = 1024 * 1024;
const SETTINGS = { registry_stored_bytes_max: 16 * MIB };

test("running pushes reserve the quota until their server is killed", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "mooring-test-"));
  const first = await startServer({ dataDir, settings: SETTINGS });
  try {
    const { credential } = await first.bootstrap();
    const name = await newRepository(first, await first.token(credential));
    const repository = await repositoryOf(first, credential, name);
    const sending = Array.from({ length: 2 }, () => {
      const url = new URL(`/v2/${name}/blobs/uploads/?digest=${digestOf(randomBytes(8))}`, first.origin);
      const headers = { authorization: repository.auth, "content-length": 8 * MIB };
      const request = httpRequest(url, { method: "POST", headers }).on("error", () => undefined);
      request.write(randomBytes(7 * MIB));
      return request;
    });
    const more = randomBytes(10);
    const path = `blobs/uploads/?digest=${digestOf(more)}`;
    await eventually("the pushes to have begun", async () =>
      readdirSync(join(dataDir, "objects", "tmp")).length === sending.length ? true : null,
    );
    registryRefused(await repository.call("POST", path, { body: more }), 403, "DENIED", "0 more bytes of images");
    await first.kill();
    for (const request of sending) request.destroy();
    const second = await startServer({ dataDir, settings: SETTINGS });
    try {
      const again = await repositoryOf(second, credential, name);
      for (let i = 0; i < 2; i++) await again.blob(randomBytes(8 * MIB));
      registryRefused(await again.call("POST", path, { body: more }), 403, "DENIED");
    } finally {
      await second.dispose();
    }
  } finally {
    await first.dispose();
    rmSync(dataDir, { recursive: true, force: true });
  }
});
