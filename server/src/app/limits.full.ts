/** Creates rows of every kind up to the limit and one past it. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { pino } from "pino";
import * as contract from "@mooring/contract";
import type { Route } from "@mooring/contract";
import { goPastLimit } from "#domain/limits/testing/edge.ts";
import { bootstrapOrganization } from "#domain/organizations/index.ts";
import type { RecordLimit } from "#kernel/record-limits.ts";
import { systemClock } from "#kernel/time.ts";
import { buildApp, type App } from "./build.ts";
import type { Config } from "./config.ts";
import { SETTINGS } from "./settings.ts";

const ROWS = Object.entries(contract)
  .filter(([name]) => name.endsWith("_ROUTES"))
  .flatMap(([, rows]) => Object.values(rows as Readonly<Record<string, Route>>));

/** Operations that create something without a limit of rows, each with the reason why it can't grow without end. */
const BOUNDED_OTHERWISE: Readonly<Record<string, string>> = {
  createObjectLink: "stores nothing",
  createObjectUpload: "stores nothing; the object counts towards s3_stored_bytes_max",
  createUpload: "reserves its bytes of files_stored_bytes_max, and expires",
  copyFile: "counts towards files_stored_bytes_max",
  createRecoveryCodes: "replaces the old ones",
  createSessionToken: "stores nothing",
  createBackup: "backup_keep",
  createRestore: "stores nothing; the list has the last 20 of the process",
  createResetLink: "expires, and replaces the old one",
  createOperatorToken: "at most 100; only people who are operators create them",
  setUp: "uses up a link",
  rotateAlertSecret: "replaces the old one",
  rotateWebhookUrl: "replaces the old one",
  rotateWebhookSecret: "replaces the old one",
  rotateWebhookDestinationSecret: "replaces the old one",
};

/** Operations that people call in a session. Their own tests cover the limit. */
const OF_SESSIONS: Readonly<Record<string, RecordLimit>> = {
  createPersonalAccessToken: "personal_tokens_max",
  createPasskey: "passkeys_max",
  createOrganization: "organizations_max",
};

interface Made {
  readonly limit: RecordLimit;
  /** Returns the request for one more row. */
  readonly request: (n: number) => { readonly path: string; readonly body: object };
}

describe("limits of creates", () => {
  const dataDir = mkdtempSync(join(tmpdir(), "mooring-limits-"));
  let app: App;
  let token = "";
  let made: Readonly<Record<string, Made>>;

  before(async () => {
    app = await buildApp(config(dataDir), pino({ level: "silent" }), systemClock);
    token = await tokenOf(app);
    made = await creates(post);
  });
  after(async () => {
    await app.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  const post = async (path: string, body: object): Promise<{ status: number; json: Record<string, unknown> }> => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const response = await fetch(`http://${app.listen}${path}`, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
    });
    return { status: response.status, json: (await response.json()) as Record<string, unknown> };
  };

  test("every row that creates something has a limit, and documents its error", () => {
    const all = ROWS.filter(
      ({ method, status, operationId }) => method === "POST" && (status === 201 || operationId.startsWith("create")),
    );
    assert.ok(all.length > 20, `${all.length} rows`);
    const limited = { ...made, ...OF_SESSIONS };
    const without = all.filter(({ operationId }) => !(operationId in limited) && !(operationId in BOUNDED_OTHERWISE));
    assert.deepEqual(
      without.map(({ operationId }) => operationId),
      [],
      "rows without a limit",
    );
    const silent = all.filter(
      ({ operationId, problems }) => operationId in limited !== problems.includes("limit_reached"),
    );
    assert.deepEqual(
      silent.map(({ operationId }) => operationId),
      [],
    );
  });

  test("each create succeeds up to its limit, and one past it is an error that names the setting", async () => {
    for (const { limit, request } of Object.values(made)) {
      await goPastLimit(app.metadata, limit, (n) => {
        const { path, body } = request(100 + n);
        return post(path, body);
      });
    }
  });
});

async function creates(
  post: (path: string, body: object) => Promise<{ json: Record<string, unknown> }>,
): Promise<Readonly<Record<string, Made>>> {
  const id = async (path: string, body: object): Promise<string> => {
    const { json } = await post(path, body);
    const inner = (json["credential"] ?? json) as Record<string, unknown>;
    assert.equal(typeof inner["id"], "string", JSON.stringify(json));
    return String(inner["id"]);
  };
  const url = "http://127.0.0.1:9/nowhere";
  const webhook = await id("/v1/webhooks", { name: "first", project: "open" });
  const query = await id("/v1/query/saved", { name: "first", sql: "select 1 as n", project: "open" });
  const credential = await id("/v1/credentials", { name: "first", scopes: ["org:read"] });
  const condition = { column: "n", operator: ">", threshold: 5 };
  const rule = { types: ["logs"], action: "drop" };
  const trust = {
    issuer: "https://token.actions.githubusercontent.com",
    audience: "mooring",
    subject: "repo:acme/web:*",
  };
  const entry = (limit: RecordLimit, path: string, body: (n: number) => object): Made => ({
    limit,
    request: (n) => ({ path, body: body(n) }),
  });
  return {
    createProject: entry("projects_max", "/v1/projects", (n) => ({ slug: `p-${n}` })),
    createApp: entry("apps_max", "/v1/apps", (n) => ({ slug: `app-${n}`, project: "open" })),
    createGroup: entry("groups_max", "/v1/groups", (n) => ({ slug: `g-${n}` })),
    createRole: entry("custom_roles_max", "/v1/roles", (n) => ({
      slug: `r-${n}`,
      kind: "project",
      scopes: ["files:read"],
    })),
    createInvitation: entry("invitations_max", "/v1/invitations", (n) => ({
      email: `p${n}@example.com`,
      role: "viewer",
    })),
    createCredential: entry("credentials_max", "/v1/credentials", (n) => ({ name: `c${n}`, scopes: ["org:read"] })),
    createTrust: entry("trusts_max", `/v1/credentials/${credential}/trusts`, (n) => ({ name: `t${n}`, ...trust })),
    createS3Key: entry("s3_keys_max", "/v1/s3/keys", (n) => ({ name: `k${n}`, scopes: ["s3:read"] })),
    createIngestKey: entry("ingest_keys_max", "/v1/ingest-keys", (n) => ({ name: `i${n}` })),
    createS3Destination: entry("s3_destinations_max", "/v1/s3/destinations", (n) => ({ name: `d${n}`, url })),
    createSavedQuery: entry("saved_queries_max", "/v1/query/saved", (n) => ({
      name: `q${n}`,
      sql: "select 1 as n",
      project: "open",
    })),
    createAlert: entry("alerts_max", "/v1/alerts", (n) => ({
      name: `a${n}`,
      query_id: query,
      url,
      every_s: 86_400,
      condition,
    })),
    createWebhook: entry("webhooks_max", "/v1/webhooks", (n) => ({ name: `w${n}`, project: "open" })),
    createWebhookDestination: entry("webhook_destinations_max", `/v1/webhooks/${webhook}/destinations`, (n) => ({
      name: `d${n}`,
      url,
    })),
    createWebhookConsumer: entry("webhook_consumers_max", `/v1/webhooks/${webhook}/consumers`, (n) => ({
      name: `c${n}`,
    })),
    createIngestRule: entry("ingest_rules_max", "/v1/ingest-rules", (n) => ({ name: `r${n}`, ...rule })),
    createTelemetryErasure: entry("erasures_max", "/v1/telemetry/erasures", (n) => ({
      types: ["logs"],
      match: { message: `m${n}` },
    })),
  };
}

async function tokenOf(app: App): Promise<string> {
  const deps = { metadata: app.metadata, clock: systemClock };
  const { organization } = await bootstrapOrganization(deps, { org: "acme", project: "open", app: "acme-open" });
  const { credential, clientSecret } = await app.identity.credentials.create(
    { actor: { kind: "system", id: null, orgId: organization.id } },
    { name: "test", projectId: null, scopes: contract.SCOPES },
  );
  const origin = { ip: "127.0.0.1", requestId: "req_test" };
  const state = await app.identity.signIn.authenticate({ clientId: credential.clientId, clientSecret, ...origin });
  return (await app.identity.tokens.issuer.issue(state, origin)).accessToken;
}

function config(dataDir: string): Config {
  const defaults = Object.fromEntries(Object.entries(SETTINGS).map(([name, setting]) => [name, setting.default]));
  const local = {
    listen: "127.0.0.1:0",
    s3_listen: "127.0.0.1:0",
    metrics_listen: "off",
    otlp_grpc_listen: "off",
    webhooks_private_addresses: "allow",
  };
  return { ...defaults, ...local, data_dir: dataDir } as unknown as Config;
}
