/** Every interface of a server without a proxy and without TLS: the steps that are used in front of other ways to run it. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { useServer } from "../fixtures/server.ts";
import { missingPrograms, SMOKE_STEPS } from "../fixtures/smoke.ts";

const directory = mkdtempSync(join(tmpdir(), "mooring-smoke-"));
const shared = useServer();
after(() => rmSync(directory, { recursive: true, force: true }));

for (const step of SMOKE_STEPS) {
  test(step.name, { skip: missingPrograms(step) }, () => {
    const { server, home } = shared;
    return step.run({ origin: server.origin, home, clientAddress: "127.0.0.1", largeBytes: 64 * 1024 ** 2, directory });
  });
}
