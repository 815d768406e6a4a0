/** The client of the previous version calls this server, and this client calls the server of the previous version. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Compile } from "typebox/compile";
import type * as OwnClient from "@mooring/client";
import type * as OwnContract from "@mooring/contract";
import { checkOutPrevious, previousMissing } from "../fixtures/previous-version.ts";
import { mooring } from "../fixtures/process.ts";
import { startServer, type Bootstrap, type Server } from "../fixtures/server.ts";

type ClientModule = typeof OwnClient;
type ContractModule = typeof OwnContract;

/** The client and the contract of one version. */
interface Library {
  readonly client: ClientModule;
  readonly contract: ContractModule;
}

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "mooring-compatibility-"));
const checkout = join(folder, "previous");
const missing = previousMissing();
let previous: string;

before(() => {
  if (missing === false) previous = checkOutPrevious(checkout);
});
after(() => rmSync(folder, { recursive: true, force: true }));

const PAIRS = [
  { name: "the previous client and this server", library: () => checkout, program: () => undefined },
  { name: "this client and the previous server", library: () => ROOT, program: () => previous },
] as const;

for (const { name, library, program } of PAIRS)
  describe(name, { skip: missing }, () => {
    let server: Server;
    let home: Bootstrap;
    let lib: Library;
    /** What the server offers; the client may know newer operations. */
    let offered: ReadonlySet<string>;
    let client: OwnClient.Client;

    before(async () => {
      const own = program();
      const options = { database: "sqlite", ...(own === undefined ? {} : { program: own }) } as const;
      server = await startServer(options);
      home = await bootstrapped(server, own);
      lib = await libraryIn(library());
      const { contract } = own === undefined ? await libraryIn(ROOT) : await libraryIn(checkout);
      offered = new Set(plainReads(contract).map(({ operationId }) => operationId));
      client = await clientOf(lib, server, home);
    });
    after(() => server.dispose());

    test("every list and setting has the form that the client expects", async (t) => {
      const checked: string[] = [];
      for (const row of plainReads(lib.contract).filter(({ operationId }) => offered.has(operationId))) {
        const answer: unknown = await client.call(row, {});
        const check = Compile(row.result ?? {});
        const found = check.Check(answer) ? [] : check.Errors(answer);
        // New versions add members, which an older server does not have.
        const faults = found.filter(({ keyword }) => program() === undefined || keyword !== "required");
        assert.deepEqual(faults, [], `${row.operationId}: ${JSON.stringify(answer)}`);
        checked.push(row.operationId);
      }
      t.diagnostic(`${checked.length} operations: ${checked.join(", ")}`);
      assert.ok(checked.length >= 20, `only ${checked.length} operations`);
    });

    test("telemetry is taken once with its retry, and found by a query", async () => {
      const { QUERY_ROUTES, TELEMETRY_ROUTES } = lib.contract;
      const entry = { timestamp: new Date().toISOString(), level: "error", message: "compatible" };
      const headers = { "Idempotency-Key": crypto.randomUUID() };
      const input = { params: { type: "logs" }, body: { entries: [entry] }, headers } as const;
      for (const _attempt of [1, 2])
        assert.deepEqual(await client.call(TELEMETRY_ROUTES.ingest, input), { accepted: 1 });
      const sql = "SELECT message FROM logs WHERE message = 'compatible'";
      const { rows } = await client.call(QUERY_ROUTES.query, { body: { sql } });
      assert.deepEqual(rows, [{ message: "compatible" }]);
      const csv = await client.send({
        purpose: "query",
        method: "POST",
        url: `${server.origin}/v1/query`,
        headers: { accept: "text/csv", "content-type": "application/json" },
        body: JSON.stringify({ sql }),
      });
      assert.match(await csv.text(), /^message\r?\ncompatible\r?\n$/);
    });

    test("a file is uploaded, listed, downloaded, deleted and restored", async () => {
      const { FILE_ROUTES } = lib.contract;
      const body = { filename: "compatible.txt", content_type: "text/plain" };
      const { upload_url: url, file_id: id } = (await client.call(FILE_ROUTES.createUpload, { body })).data;
      const put = await fetch(url, { method: "PUT", headers: { "content-type": "text/plain" }, body: "content" });
      assert.equal(put.status, 200, await put.text());
      const { files } = (await client.call(FILE_ROUTES.listFiles, { query: { prefix: "compat" } })).data;
      assert.deepEqual(
        files.map((file) => file.id),
        [id],
      );
      const params = { file_id: id };
      const { download_url: from } = (await client.call(FILE_ROUTES.getFileDownload, { params })).data;
      assert.equal(await (await fetch(from)).text(), "content");
      assert.equal(await client.call(FILE_ROUTES.deleteFile, { params }), undefined);
      assert.equal((await client.call(FILE_ROUTES.restoreFile, { params })).data.id, id);
      const changed = await client.call(FILE_ROUTES.updateFileSettings, { body: { trash_days: 3 } });
      assert.equal(changed.data.effective_trash_days, 3);
    });

    test("a change of another version is refused, with the code that the client knows", async () => {
      const { SAVED_QUERY_ROUTES } = lib.contract;
      const body = { name: "one", sql: "SELECT 1" };
      const { id } = await client.call(SAVED_QUERY_ROUTES.createSavedQuery, { body });
      const params = { query_id: id };
      const { etag } = await client.read(SAVED_QUERY_ROUTES.getSavedQuery, { params });
      const change = (to: string): Promise<unknown> =>
        client.call(SAVED_QUERY_ROUTES.updateSavedQuery, { params, body: { name: to }, headers: { "If-Match": etag } });
      await change("two");
      await assert.rejects(change("three"), (error) => isRefusal(lib, error, 409, "concurrent_update"));
      await client.call(SAVED_QUERY_ROUTES.deleteSavedQuery, { params });
      await assert.rejects(change("four"), (error) => isRefusal(lib, error, 404, "not_found"));
    });

    test("pages are read to their end, and a credential that is revoked can't sign in again", async () => {
      const { ORGANIZATION_ROUTES } = lib.contract;
      const names = Array.from({ length: 5 }, (_, n) => `page ${n}`);
      const made: { id: string; client_id: string; client_secret: string | null }[] = [];
      for (const each of names)
        made.push(
          await client.call(ORGANIZATION_ROUTES.createCredential, { body: { name: each, scopes: ["files:read"] } }),
        );
      const seen: string[] = [];
      for await (const each of client.items(ORGANIZATION_ROUTES.listCredentials, { query: { limit: 2 } }))
        seen.push(each.name);
      assert.deepEqual(
        names.filter((each) => !seen.includes(each)),
        [],
      );
      const [last] = made;
      if (last === undefined) assert.fail("there is no credential");
      const other = { ...home, credential: { client_id: last.client_id, client_secret: last.client_secret ?? "" } };
      const limited = await clientOf(lib, server, other);
      await limited.call(lib.contract.FILE_ROUTES.listFiles, {});
      const refused = limited.call(ORGANIZATION_ROUTES.listCredentials, {});
      await assert.rejects(refused, (error) => isRefusal(lib, error, 403, "insufficient_scope"));
      await client.call(ORGANIZATION_ROUTES.revokeCredential, { params: { credential_id: last.id } });
      await assert.rejects(
        limited.call(lib.contract.FILE_ROUTES.listFiles, {}),
        (error) => error instanceof lib.client.ApiError && error.status === 401,
      );
    });

    test("a webhook accepts an event, which the client reads", async () => {
      const { WEBHOOK_ROUTES } = lib.contract;
      const { id, webhook_url: url } = await client.call(WEBHOOK_ROUTES.createWebhook, {
        body: { name: "orders", project: home.project.slug },
      });
      const sent = await fetch(url ?? "", {
        method: "POST",
        body: "{}",
        headers: { "content-type": "application/json" },
      });
      assert.equal(sent.status, 202);
      const events: string[] = [];
      const { id: event } = (await sent.json()) as { id: string };
      for await (const each of client.items(WEBHOOK_ROUTES.listWebhookEvents, { params: { webhook_id: id } }))
        events.push(each.id);
      assert.deepEqual(events, [event]);
    });
  });

/** The command must be of the server's version, because it writes to the server's records. */
async function bootstrapped(server: Server, program: string | undefined): Promise<Bootstrap> {
  if (program === undefined) return server.bootstrap();
  const words = [
    "bootstrap",
    "--data-dir",
    server.dataDir,
    "--org",
    "acme",
    "--project",
    "shop",
    "--app",
    "checkout",
    "--json",
  ];
  const outcome = await mooring(words, { environment: server.environment, program });
  assert.equal(outcome.code, 0, outcome.stderr);
  return JSON.parse(outcome.stdout) as Bootstrap;
}

async function libraryIn(root: string): Promise<Library> {
  const load = async (path: string): Promise<unknown> => import(pathToFileURL(join(root, path)).href);
  return {
    client: (await load("client/src/index.ts")) as ClientModule,
    contract: (await load("contract/src/index.ts")) as ContractModule,
  };
}

async function clientOf({ client }: Library, server: Server, { credential }: Bootstrap): Promise<OwnClient.Client> {
  const addresses = await client.discover(server.origin);
  const { client_id: clientId, client_secret: clientSecret } = credential;
  const tokens = client.clientCredentials(addresses, { clientId, clientSecret }, Date.now);
  return client.createClient({ addresses, tokens });
}

/** Reads without parameters that a credential may do, and whose answers are JSON. */
function plainReads(contract: ContractModule): OwnContract.Route[] {
  const tables = Object.entries(contract).filter(([name]) => name.endsWith("_ROUTES"));
  const rows = tables.flatMap(([, table]) => Object.values(table as Readonly<Record<string, OwnContract.Route>>));
  return rows.filter(
    ({ method, params, query, result, resultType, permission }) =>
      method === "GET" &&
      params === undefined &&
      (query?.required ?? []).length === 0 &&
      result !== undefined &&
      resultType === undefined &&
      !["public", "session", "instance"].includes(permission),
  );
}

function isRefusal({ client }: Library, error: unknown, status: number, code: string): boolean {
  assert.ok(error instanceof client.ApiError, String(error));
  assert.deepEqual([error.status, error.code], [status, code]);
  return true;
}
