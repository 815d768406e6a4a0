/** Requests every list of the API at a million rows, with each of its filters, alone and with a range of times. Checks the query plans. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { randomBytes } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { describe, test } from "node:test";
import { pino } from "pino";
import type { CompiledQuery } from "kysely";
import { SCOPES } from "@mooring/contract";
import { bootstrapOrganization } from "#domain/organizations/index.ts";
import { systemClock } from "#kernel/time.ts";
import { observeReads, type ObservedRead } from "#stores/metadata/index.ts";
import { postgresMissing, startPostgres } from "../../../tests/fixtures/postgres-server.ts";
import { buildApp, type App } from "./build.ts";
import type { Config } from "./config.ts";
import { SETTINGS } from "./settings.ts";
import * as sdk from "@aws-sdk/client-s3";
import type { S3Client } from "@aws-sdk/client-s3";
import { SESSION_COOKIE } from "#http/index.ts";
import { sha256Hex } from "#kernel/digest.ts";
import { sdkClient } from "../../../tests/fixtures/s3-client.ts";
import { listRequests, WITHOUT_RECORDS, type ListRequest, type Way } from "./testing/list-requests.ts";
import { fillStatements, type Ids } from "./testing/many-rows.ts";

/** The default of `records_read_timeout_ms`: the server refuses reads that take longer. */
const READ_LIMIT_MS = Number(SETTINGS.records_read_timeout_ms.default);

interface Ground {
  readonly app: App;
  readonly ids: Ids;
  /** Authorization for each interface. */
  readonly headers: Readonly<Record<Exclude<Way, "s3">, Record<string, string>>>;
  readonly s3: S3Client;
  /** Explains SQLite's plans; null for PostgreSQL. */
  readonly plans: DatabaseSync | null;
}

for (const dialect of ["sqlite", "postgres"] as const) {
  describe(
    `lists at a million rows on ${dialect}`,
    { skip: dialect === "postgres" && (postgresMissing() ?? false) },
    () => {
      test("every list and filter uses an index, alone and with a range of times", async () => {
        await withGround(dialect, async (ground) => {
          const faults: string[] = [];
          for (const request of listRequests(ground.ids)) faults.push(...(await faultsOf(ground, request)));
          assert.deepEqual(faults, []);
          assert.ok(new Set(listRequests(ground.ids).map(({ name }) => name)).size >= 40);
        });
      });
    },
  );
}

/** Sends the request and the one for the next page. Returns the faults in the plans of their reads. */
async function faultsOf(ground: Ground, request: ListRequest): Promise<string[]> {
  const reads = new Map<string, ObservedRead>();
  const stop = observeReads((read) => reads.set(read.sql, read));
  const startedMs = performance.now();
  const first = await ask(ground, request);
  const tookMs = performance.now() - startedMs;
  const second = first.next === undefined ? first : await ask(ground, { ...request, ...first.next });
  stop();
  const { name, path, exception } = request;
  process.stderr.write(`${ground.app.metadata.dialect} ${tookMs.toFixed(0).padStart(6)} ms ${first.status} ${path}\n`);
  for (const { status, text } of [first, second]) if (status !== 200) return [`${path}: ${status} ${text}`];
  if (reads.size === 0 && !WITHOUT_RECORDS.has(name)) return [`${path}: nothing was read`];
  if (exception !== undefined) return tookMs <= READ_LIMIT_MS ? [] : [`${path}: ${tookMs} ms; ${exception}`];
  const found: string[] = [];
  for (const read of reads.values()) {
    const fault = ground.app.metadata.dialect === "sqlite" ? await scanOf(ground, read) : await pagesOf(ground, read);
    if (fault !== undefined) found.push(`${path}: ${fault}\n  ${read.sql.slice(0, 600)}`);
  }
  return found;
}

interface Answer {
  readonly status: number;
  readonly text: string;
  /** The request for the next page. */
  readonly next?: Partial<ListRequest>;
}

async function ask(ground: Ground, request: ListRequest): Promise<Answer> {
  if (request.way === "s3") return askS3(ground, request);
  const { path, way } = request;
  const response = await fetch(`http://${ground.app.listen}${path}`, { headers: ground.headers[way] });
  const { status } = response;
  const text = await response.text();
  const link = /<([^>]+)>/.exec(response.headers.get("link") ?? "")?.[1];
  if (way === "registry") return { status, text, ...(link === undefined ? {} : { next: { path: link } }) };
  const json = (text.startsWith("{") ? JSON.parse(text) : {}) as { data?: object; next_cursor?: string | null };
  const { next_cursor: cursor } = (json.data ?? json) as { next_cursor?: string | null };
  if (typeof cursor !== "string") return { status, text };
  const [bare = "", search = ""] = path.split("?");
  const query = new URLSearchParams(search);
  query.set("cursor", cursor);
  return { status, text, next: { path: `${bare}?${query.toString()}` } };
}

/** Sends the request with the SDK, which signs it and parses the answer. */
async function askS3({ s3 }: Ground, { name, input = {} }: ListRequest): Promise<Answer> {
  const commands = sdk as unknown as Record<string, new (input: object) => Parameters<S3Client["send"]>[0]>;
  const Command = commands[`${name}Command`];
  assert.ok(Command, name);
  try {
    const answer = (await s3.send(new Command(input))) as unknown as Readonly<Record<string, unknown>>;
    const next = S3_MARKERS.flatMap(([from, to]) => (answer[from] === undefined ? [] : [[to, answer[from]] as const]));
    const isMore = answer["IsTruncated"] === true || (name === "ListBuckets" && next.length > 0);
    return { status: 200, text: "", ...(isMore ? { next: { input: { ...input, ...Object.fromEntries(next) } } } : {}) };
  } catch (error) {
    return { status: 500, text: String(error) };
  }
}

/** The field of an answer that marks the next page, and the parameter that requests it. */
const S3_MARKERS = [
  ["NextMarker", "Marker"],
  ["NextContinuationToken", "ContinuationToken"],
  ["NextKeyMarker", "KeyMarker"],
  ["NextVersionIdMarker", "VersionIdMarker"],
  ["NextUploadIdMarker", "UploadIdMarker"],
  ["NextPartNumberMarker", "PartNumberMarker"],
] as const;

async function explain({ app, plans }: Ground, read: ObservedRead, word: string): Promise<Record<string, unknown>[]> {
  const sql = `${word} ${read.sql}`;
  if (plans !== null) return plans.prepare(sql).all();
  const query = { sql, parameters: read.parameters } as unknown as CompiledQuery;
  return (await app.metadata.read.executeQuery(query)).rows as Record<string, unknown>[];
}

/** Tables that are always small, so that a scan of them is fine. */
const SMALL = new Set(["signing_key", "node", "migration", "operator_token"]);
/** Indexes of few rows: the suspended organizations, and the operators. */
const SMALL_INDEXES = /USING (COVERING )?INDEX (organization__suspended|person__operators)/;

/** SQLite: returns a step that scans a whole table. */
async function scanOf(ground: Ground, read: ObservedRead): Promise<string | undefined> {
  const plan = (await explain(ground, read, "explain query plan")).map(({ detail }) => String(detail));
  const made = new Set(plan.flatMap((step) => /^(?:CO-ROUTINE|MATERIALIZE) (.+)$/.exec(step)?.[1] ?? []));
  const scans = plan.filter((step) => {
    const [, name = ""] = /^SCAN (\(.*?\)|\S+)/.exec(step) ?? [];
    return name !== "" && name !== "CONSTANT" && !made.has(name) && !SMALL.has(name) && !SMALL_INDEXES.test(step);
  });
  return scans.length === 0 ? undefined : scans.join("; ");
}

interface PlanNode {
  readonly "Node Type": string;
  readonly "Actual Rows": number;
  readonly "Shared Hit Blocks": number;
  readonly "Shared Read Blocks": number;
  readonly "Relation Name"?: string;
  readonly Plans?: readonly PlanNode[];
}

/** The most pages of an index that are read to find its first row. */
const STEPS = 4;

/** PostgreSQL: returns a fault if a read needs more than ten times the necessary pages. */
async function pagesOf(ground: Ground, read: ObservedRead): Promise<string | undefined> {
  const rows = await explain(ground, read, "explain (analyze, buffers, format json)");
  const plan = (rows[0]?.["QUERY PLAN"] as { Plan: PlanNode }[] | undefined)?.[0]?.Plan;
  if (plan === undefined) return "no plan";
  const nodes = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodes)];
  const tables = nodes(plan).filter((node) => node["Relation Name"] !== undefined).length;
  const pages = plan["Shared Hit Blocks"] + plan["Shared Read Blocks"];
  const allowed = 10 * Math.max(1, tables) * (rowsOf(plan) + STEPS);
  return pages <= allowed ? undefined : `${pages} pages for ${plan["Actual Rows"]} rows of ${tables} tables`;
}

/** Returns the rows of the answer. For a sum with a limited number of rows, returns the rows that were added up. */
function rowsOf(plan: PlanNode): number {
  const [part] = plan.Plans ?? [];
  if (plan["Node Type"] !== "Aggregate" || part === undefined) return plan["Actual Rows"];
  const inner = part["Node Type"] === "Subquery Scan" ? part.Plans?.[0] : part;
  return inner?.["Node Type"] === "Limit" ? inner["Actual Rows"] : plan["Actual Rows"];
}

async function withGround(dialect: "sqlite" | "postgres", use: (ground: Ground) => Promise<void>): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), "mooring-lists-"));
  const server = dialect === "postgres" ? await startPostgres() : undefined;
  const url = await server?.createDatabase("lists");
  const config = configOf({ data_dir: dataDir, database_url: url ?? null, records_read_timeout_ms: 60_000 });
  const start = (): Promise<App> => buildApp(config, pino({ level: "silent" }), systemClock);
  const session = server?.session("lists");
  let app = await start();
  let plans: DatabaseSync | null = null;
  try {
    const made = await populate(app);
    const { ids, headers } = made;
    const statements = await fillStatements(app.metadata, ids);
    // Stops the server: a statement on this thread would wait for a writer that waits for this thread.
    await app.stop();
    if (session === undefined) fillSqlite(join(dataDir, "mooring.db"), statements);
    else
      for (const each of ["set session_replication_role = replica", ...statements, "vacuum analyze"])
        await session.ask(each);
    app = await start();
    plans = session === undefined ? new DatabaseSync(join(dataDir, "mooring.db"), { readOnly: true }) : null;
    const s3 = sdkClient({ url: app.addresses.s3_endpoint, region: "us-east-1", bucket: ids.bucket, ...made.s3Key });
    await use({ app, ids, headers, s3, plans });
    s3.destroy();
  } finally {
    plans?.close();
    await session?.close();
    await app.stop();
    await server?.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

function fillSqlite(path: string, statements: readonly string[]): void {
  const db = new DatabaseSync(path, { enableForeignKeyConstraints: false });
  for (const each of ["pragma synchronous = off", ...statements]) db.exec(each);
  db.close();
}

function configOf(given: Partial<Config>): Config {
  const defaults = Object.fromEntries(Object.entries(SETTINGS).map(([name, setting]) => [name, setting.default]));
  const local = {
    listen: "127.0.0.1:0",
    s3_listen: "127.0.0.1:0",
    metrics_listen: "off",
    otlp_grpc_listen: "off",
    identity_url: "http://identity.example",
    webhooks_private_addresses: "allow",
  };
  return { ...defaults, ...local, ...given } as unknown as Config;
}

interface S3Key {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** Creates the objects that the lists belong to. */
async function populate(app: App): Promise<Pick<Ground, "ids" | "headers"> & { s3Key: S3Key }> {
  const deps = { metadata: app.metadata, clock: systemClock };
  const made = await bootstrapOrganization(deps, { org: "many", project: "open", app: "many-app" });
  const org = made.organization.id;
  const { credential, clientSecret } = await app.identity.credentials.create(
    { actor: { kind: "system", id: null, orgId: org } },
    { name: "test", projectId: null, scopes: SCOPES },
  );
  const origin = { ip: "127.0.0.1", requestId: "req_test" };
  const state = await app.identity.signIn.authenticate({ clientId: credential.clientId, clientSecret, ...origin });
  const { accessToken: token } = await app.identity.tokens.issuer.issue(state, origin);
  const post = async (path: string, body: object): Promise<Record<string, unknown>> => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const response = await fetch(`http://${app.listen}${path}`, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
    });
    const text = await response.text();
    assert.ok(response.ok, `${path}: ${text}`);
    return JSON.parse(text) as Record<string, unknown>;
  };
  const webhook = String((await post("/v1/webhooks", { name: "many", project: made.project.id }))["id"]);
  const url = "http://127.0.0.1:9/nowhere";
  const destination = await post(`/v1/webhooks/${webhook}/destinations`, { name: "many", url });
  const query = String(
    (await post("/v1/query/saved", { name: "many", sql: "select 1 as n", project: made.project.id }))["id"],
  );
  const condition = { column: "n", operator: ">", threshold: 5 };
  const alert = await post("/v1/alerts", { name: "many", query_id: query, url, every_s: 86_400, condition });
  const group = await post("/v1/groups", { slug: "many", name: "many" });
  const ids: Ids = {
    org,
    project: made.project.id,
    app: made.app.id,
    webhook,
    destination: String(destination["id"]),
    alert: String(alert["id"]),
    credential: credential.id,
    group: String(group["id"]),
    query,
    bucket: made.app.slug,
    repository: `orgs/${made.organization.slug}/${made.app.slug}`,
    operator: made.owner.id,
  };
  const key = await post("/v1/s3/keys", { name: "many" });
  const basic = Buffer.from(`${credential.clientId}:${clientSecret}`).toString("base64");
  const headers = {
    token: { authorization: `Bearer ${token}` },
    session: { cookie: `${SESSION_COOKIE}=${await signIn(app, ids.operator)}` },
    registry: { authorization: `Basic ${basic}` },
  };
  const s3Key = { accessKeyId: String(key["access_key_id"]), secretAccessKey: String(key["secret_access_key"]) };
  return { ids, headers, s3Key };
}

/** Inserts a session of the operator, as a sign-in does. */
async function signIn({ metadata }: App, userId: string): Promise<string> {
  const secret = randomBytes(32).toString("base64url");
  const nowMs = systemClock.nowMs();
  const times = { created_at: nowMs, confirmed_at: nowMs, last_seen_at: nowMs, expires_at: nowMs + 86_400_000 };
  const row = { id: "ses_own", user_id: userId, secret_hash: sha256Hex(secret), method: "password" as const };
  const rest = { ip: null, user_agent: null, second_factor: 0, ended: null };
  await metadata.write(async (tx) => {
    await tx.updateTable("person").set({ instance_admin: 1, verified_at: nowMs }).where("id", "=", userId).execute();
    await tx
      .insertInto("browser_session")
      .values({ ...row, ...times, ...rest })
      .execute();
  });
  return secret;
}
