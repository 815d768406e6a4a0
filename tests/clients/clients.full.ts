/**
 * Independent clients, with their usual work over http and https. A missing one is skipped and reported. The page
 * docs/reference/s3-clients.md must have the results of a run; with MOORING_UPDATE_PAGES=1 the run writes it.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { makeCertificates } from "../fixtures/certificates.ts";
import { startS3 } from "../fixtures/s3.ts";
import { showLogs, type Server } from "../fixtures/server.ts";
import { CLIENTS } from "./clients.ts";
import { TRANSPORTS, runClient, type Endpoint, type Outcome, type Transport } from "./matrix.ts";
import { rowsOf, rowsOnPage, writePage, type ClientRun } from "./page.ts";

const directory = mkdtempSync(join(tmpdir(), "mooring-clients-"));
const endpoints: Partial<Record<Transport, Endpoint>> = {};
const servers: Server[] = [];
const runs: ClientRun[] = [];

before(async () => {
  const { caFile, certificateFile, keyFile } = makeCertificates(directory);
  const common = { s3_domain: "s3.localhost" };
  const tls = { s3_tls_cert: certificateFile, s3_tls_key: keyFile };
  for (const transport of TRANSPORTS) {
    // Two clients use Signature V2 for presigned URLs by default.
    const settings = { ...common, s3_signature_v2: "urls", ...(transport === "https" ? tls : {}) };
    const { server, endpoint } = await startS3({ settings });
    servers.push(server);
    endpoints[transport] = { ...endpoint, caFile: transport === "https" ? caFile : null };
  }
});
showLogs(() => servers);
after(async () => {
  for (const server of servers) await server.dispose();
  rmSync(directory, { recursive: true, force: true });
});

for (const client of CLIENTS) {
  test(client.name, async (context) => {
    const version = await client.version();
    if (version === null) {
      context.skip("not installed");
      return;
    }
    const outcomes: Record<Transport, Outcome[]> = { http: [], https: [] };
    for (const transport of TRANSPORTS) {
      const endpoint = endpoints[transport];
      assert.ok(endpoint !== undefined);
      outcomes[transport] = await runClient(client, endpoint);
    }
    runs.push({ name: client.name, version, outcomes });
    assert.deepEqual(failuresIn(outcomes), [], `${client.name} ${version}`);
  });
}

function failuresIn(outcomes: Readonly<Record<Transport, readonly Outcome[]>>): string[] {
  return TRANSPORTS.flatMap((transport) =>
    outcomes[transport].flatMap(({ step, failure }) => (failure === null ? [] : `${transport}: ${step}: ${failure}`)),
  );
}

test("docs/reference/s3-clients.md has the results of this run", (context) => {
  if (process.env["MOORING_UPDATE_PAGES"] === "1") writePage(runs);
  for (const run of runs)
    assert.deepEqual(rowsOnPage(run.name), rowsOf(run), "the page differs; write it with MOORING_UPDATE_PAGES=1");
  const missing = CLIENTS.filter(({ name }) => !runs.some((run) => run.name === name)).map(({ name }) => name);
  if (missing.length > 0) context.diagnostic(`the page was not compared for ${missing.join(", ")}`);
});
