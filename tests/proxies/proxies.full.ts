/** Every interface through each proxy that Debian packages, with the configuration of its how-to page. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { makeCertificates } from "../fixtures/certificates.ts";
import {
  missingProxy,
  planProxy,
  PROXIES,
  type ProxyKind,
  type ProxyPlan,
  type RunningProxy,
} from "../fixtures/proxy.ts";
import { showLogs, startServer, type Bootstrap, type Server } from "../fixtures/server.ts";
import { missingPrograms, SMOKE_STEPS, trustAuthority } from "../fixtures/smoke.ts";

const MIB = 1024 ** 2;
const LARGE_BYTES = 200 * MIB;
/** The most bytes that a proxy may write to disk during an upload. */
const TEMP_BYTES_MAX = MIB;
const CLIENT = "127.0.0.7";

const directory = mkdtempSync(join(tmpdir(), "mooring-proxies-"));
const certificates = makeCertificates(directory);
const distrust = trustAuthority(certificates.caFile);
after(() => {
  distrust();
  rmSync(directory, { recursive: true, force: true });
});

for (const kind of PROXIES) describe(kind.name, { skip: missingProxy(kind) }, () => tryProxy(kind));

function tryProxy(kind: ProxyKind): void {
  let plan: ProxyPlan;
  let server: Server | undefined;
  let proxy: RunningProxy | undefined;
  let home: Bootstrap;

  showLogs(() => [server]);
  before(async () => {
    plan = await planProxy(kind, directory, certificates);
    proxy = await plan.start();
    // The server calls its own public address, so it must trust the authority.
    const environment = { NODE_EXTRA_CA_CERTS: certificates.caFile };
    server = await startServer({ settings: plan.settings, environment });
    home = await server.bootstrap();
  });
  after(async () => {
    await proxy?.stop();
    await server?.dispose();
  });

  for (const step of SMOKE_STEPS) {
    test(step.name, { skip: missingPrograms(step) }, async () => {
      const largest = watchBytes(proxy ?? assert.fail("it did not start"));
      const { origin } = plan;
      const { caFile } = certificates;
      const client = { clientAddress: CLIENT, localAddress: CLIENT, caFile };
      await step.run({ origin, home, largeBytes: LARGE_BYTES, directory, ...client });
      const bytes = largest();
      assert.ok(bytes <= TEMP_BYTES_MAX, `${kind.name} kept ${bytes} bytes on its disk`);
    });
  }
}

/** Watches the size of a proxy's temporary files. Call the result to stop; it returns the largest size. */
function watchBytes(proxy: RunningProxy): () => number {
  let most = 0;
  const look = (): number => (most = Math.max(most, proxy.tempBytes()));
  const timer = setInterval(look, 20);
  return () => {
    clearInterval(timer);
    return look();
  };
}
