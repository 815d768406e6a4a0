/** The main flows on both databases. A caller can't see which one stores the records. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { DATABASES, type DatabaseKind } from "../fixtures/databases.ts";
import { basic, postForm, refused, type Answer } from "../fixtures/http.ts";
import { startServer, useServer, type Client, type Server, type Shared } from "../fixtures/server.ts";
import { EXAMPLES, ingest, ingested, logEntry, rows, TYPES } from "../fixtures/telemetry.ts";

for (const { kind, skip } of DATABASES) {
  describe(`on ${kind}`, { skip }, () => {
    const shared = useServer({ database: kind });
    identityFlows(shared);
    organizationFlows(shared);
    telemetryFlows(shared);
    lifeFlows(kind);
  });
}

function identityFlows(shared: Shared): void {
  test("tokens by both methods, introspected and revoked", async () => {
    const { client_id, client_secret } = shared.home.credential;
    const { origin } = shared.server;
    const headers = basic(client_id, client_secret);
    const granted = await postForm(
      origin,
      "/oauth/token",
      { grant_type: "client_credentials", scope: "org:read" },
      headers,
    );
    assert.equal(granted.status, 200, granted.text);
    const token = String(granted.body["access_token"]);
    assert.equal((await postForm(origin, "/oauth/introspect", { token }, headers)).body["active"], true);
    assert.equal((await postForm(origin, "/oauth/revoke", { token }, headers)).status, 200);
    refused(await shared.server.call("GET", "/v1/organization", { token }), 401, "invalid_token");
    const wrong = await postForm(origin, "/oauth/token", {
      grant_type: "client_credentials",
      ...shared.home.credential,
      client_secret: "wrong",
    });
    assert.deepEqual([wrong.status, wrong.body["error"]], [401, "invalid_client"]);
  });

  test("a credential is created, rotated, reduced and revoked, at once each time", async () => {
    const call = (method: string, path: string, json?: unknown): Promise<Answer<Client & { id: string }>> =>
      shared.server.call(method, path, { token: shared.token, ...(json === undefined ? {} : { json }) });
    const made = await call("POST", "/v1/credentials", { name: "temporary", scopes: ["org:read", "projects:read"] });
    assert.equal(made.status, 201, made.text);
    const path = `/v1/credentials/${made.body.id}`;
    const token = await shared.server.token(made.body);
    const rotated = await call("POST", `${path}/rotate`, { overlap_seconds: 0 });
    assert.equal(rotated.status, 200, rotated.text);
    await assert.rejects(shared.server.token(made.body), /401/);
    await shared.server.token(rotated.body);
    assert.equal((await call("PATCH", path, { scopes: ["org:read"] })).status, 200);
    assert.notEqual((await shared.server.call("GET", "/v1/projects", { token })).status, 200);
    const last = await shared.server.token(rotated.body);
    assert.equal((await call("DELETE", path)).status, 200);
    refused(await shared.server.call("GET", "/v1/organization", { token: last }), 401, "invalid_token");
  });
}

function organizationFlows(shared: Shared): void {
  test("one of many concurrent creates with one slug succeeds", async () => {
    const create = (): Promise<Answer> =>
      shared.server.call("POST", "/v1/projects", { token: shared.token, json: { slug: "raced" } });
    const answers = await Promise.all(Array.from({ length: 12 }, create));
    assert.deepEqual(
      answers.map(({ status }) => status).toSorted((a, b) => a - b),
      [201, ...Array.from({ length: 11 }, () => 409)],
    );
  });

  test("many requests with one Idempotency-Key create one object, and the audit log verifies", async () => {
    const headers = { "idempotency-key": randomUUID() };
    const create = (): Promise<Answer> =>
      shared.server.call("POST", "/v1/apps", {
        token: shared.token,
        json: { project: "shop", slug: "made-once" },
        headers,
      });
    const answers = await Promise.all(Array.from({ length: 6 }, create));
    assert.ok(
      answers.every(({ status }) => status === 201 || status === 409),
      answers.map(({ text }) => text).join("\n"),
    );
    assert.equal((await create()).status, 201);
    const verified = await shared.server.call("GET", "/v1/audit/verify", { token: shared.token });
    assert.equal(verified.body["ok"], true, verified.text);
  });

  test("concurrent bootstraps beside the server create one of each", async () => {
    const made = await Promise.all(
      Array.from({ length: 3 }, () => shared.server.bootstrap({ org: "racers", project: "track", app: "only-one" })),
    );
    for (const kind of ["org", "project", "app"] as const)
      assert.equal(new Set(made.map((one) => one[kind].id)).size, 1);
    for (const { credential } of made) await shared.server.token(credential);
  });
}

function telemetryFlows(shared: Shared): void {
  test("every type is stored durably and answered by SQL, to its own organization", async () => {
    for (const type of TYPES) await ingested(shared.server, shared.token, type, [EXAMPLES[type]]);
    const other = await shared.server.token(
      (await shared.server.bootstrap({ org: "globex", project: "plant", app: "reactor" })).credential,
    );
    for (const type of TYPES) {
      const sql = `select count(*) as n from ${type}`;
      assert.deepEqual(await rows(shared.server, shared.token, sql), [{ n: 1 }]);
      assert.deepEqual(await rows(shared.server, other, sql), [{ n: 0 }]);
    }
  });
}

function lifeFlows(kind: DatabaseKind): void {
  const dataDir = mkdtempSync(join(tmpdir(), "mooring-both-"));
  after(() => rmSync(dataDir, { recursive: true, force: true }));

  test("a stop and a start keep everything: credentials, rows, idempotency keys, the audit log", async () => {
    const first = await startServer({ dataDir, database: kind });
    let second: Server | undefined;
    try {
      const home = await first.bootstrap();
      const token = await first.token(home.credential);
      const headers = { "idempotency-key": randomUUID() };
      assert.equal((await ingest(first, token, "logs", [logEntry("kept")], { headers })).status, 202);
      assert.equal((await first.stop()).code, 0);
      second = await startServer({ dataDir, database: kind });
      const renewed = await second.token(home.credential);
      assert.equal((await ingest(second, renewed, "logs", [logEntry("kept")], { headers })).status, 202);
      assert.deepEqual(await rows(second, renewed, "select message from logs"), [{ message: "kept" }]);
      const verified = await second.call("GET", "/v1/audit/verify", { token: renewed });
      assert.equal(verified.body["ok"], true, verified.text);
    } finally {
      await first.dispose();
      await second?.dispose();
    }
  });
}
