/** Every interface of a server itself: without TLS, and with its own. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { makeCertificates } from "../fixtures/certificates.ts";
import { useServer, type Shared } from "../fixtures/server.ts";
import { missingPrograms, SMOKE_STEPS, trustAuthority } from "../fixtures/smoke.ts";

const LARGE_BYTES = 200 * 1024 ** 2;
const directory = mkdtempSync(join(tmpdir(), "mooring-direct-"));
const { caFile, certificateFile, keyFile } = makeCertificates(directory);
const distrust = trustAuthority(caFile);
after(() => {
  distrust();
  rmSync(directory, { recursive: true, force: true });
});

function tryEachStep(shared: Shared, options: { caFile?: string } = {}): void {
  const place = {
    clientAddress: "127.0.0.7",
    localAddress: "127.0.0.7",
    largeBytes: LARGE_BYTES,
    directory,
    ...options,
  };
  for (const step of SMOKE_STEPS) {
    test(step.name, { skip: missingPrograms(step) }, () =>
      step.run({ ...place, origin: shared.server.origin, home: shared.home }),
    );
  }
}

describe("without TLS", () => tryEachStep(useServer()));

describe("with TLS", () => {
  const tls = { tls_cert: certificateFile, tls_key: keyFile, s3_tls_cert: certificateFile, s3_tls_key: keyFile };
  const environment = { NODE_EXTRA_CA_CERTS: caFile };
  tryEachStep(useServer({ settings: tls, environment }), { caFile });
});
