/** Every list of the API at a million rows, by each of its filters, alone and with a range of times: the plans of what it asks the database. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, test } from "node:test";
import { pino } from "pino";
import type { CompiledQuery } from "kysely";
import * as contract from "@mooring/contract";
import type { Route } from "@mooring/contract";
import { bootstrapOrganization } from "#domain/organizations/index.ts";
import { systemClock } from "#kernel/time.ts";
import { observeReads, type ObservedRead } from "#stores/metadata/index.ts";
import { postgresMissing, startPostgres } from "../../../tests/fixtures/postgres-server.ts";
import { buildApp, type App } from "./build.ts";
import type { Config } from "./config.ts";
import { SETTINGS } from "./settings.ts";
import { FIRST_AT, fillStatements, type Ids } from "./testing/many-rows.ts";

/** Values of each filter: one that many rows have or none, and one that few have. A list with a filter that is not here fails. */
const FILTERS: Readonly<Record<string, readonly string[]>> = {
  unverified: ["true"],
  project: ["PROJECT"],
  environment: ["rare", "nothing"],
  archived: ["true", "false"],
  include_revoked: ["true"],
  credential: ["CREDENTIAL"],
  actor: ["cred_rare", "nobody"],
  action: ["rare.thing", "rare.", "file.", "nothing.here"],
  target: ["file_rare", "nothing"],
  result: ["failure", "denied", "success"],
  request_id: ["req_rare", "nothing"],
  type: ["rare", "nothing"],
  verified: ["yes", "no", "stripe", "github"],
  status: ["dead", "pending", "delivered"],
  prefix: ["rare", "nothing", "common", "name_", "name_0000000000000000000009"],
  delimiter: ["/"],
  key: ["k_00000000000000000000000005"],
};

/** Not filters, or looked up row by row by design: one request looks at 5,000 events and gives a cursor to go on. */
const NOT_BY_INDEX = new Set(["limit", "cursor", "offset", "after", "wait_s", "from", "to", "header", "pointer", "q"]);

const iso = (ms: number): string => new Date(ms).toISOString();
const RANGES: readonly Readonly<Record<string, string>>[] = [
  { to: iso(FIRST_AT - 1000) },
  { to: iso(FIRST_AT + 10_000) },
  { from: iso(FIRST_AT + 400_000_000), to: iso(FIRST_AT + 400_060_000) },
  { from: iso(FIRST_AT + 4_000_000_000) },
];

const LISTS = Object.entries(contract)
  .filter(([name]) => name.endsWith("_ROUTES"))
  .flatMap(([, rows]) => Object.values(rows as Readonly<Record<string, Route>>))
  .filter(
    ({ method, query, permission }) =>
      isOfTokens(permission) && method === "GET" && query !== undefined && "limit" in query.properties,
  );

/** Lists of people's own sessions are short, and of other tests. */
function isOfTokens(permission: Route["permission"]): boolean {
  return permission !== "session" && permission !== "instance";
}

interface Ground {
  readonly app: App;
  readonly ids: Ids;
  readonly token: string;
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
          for (const route of LISTS) {
            for (const path of requestsOf(route, ground.ids)) faults.push(...(await faultsOf(ground, path)));
          }
          assert.deepEqual(faults, []);
        });
      });
    },
  );
}

test("there are lists to look at", () => assert.ok(LISTS.length >= 25, `${LISTS.length} lists`));

function requestsOf({ path, query, operationId }: Route, ids: Ids): string[] {
  const names = Object.keys(query?.properties ?? {});
  const filters = names.filter((name) => !NOT_BY_INDEX.has(name));
  for (const name of filters)
    assert.ok(FILTERS[name], `${operationId} has a filter ${name} that this test knows no value of`);
  const choices: Record<string, string>[] = [
    {},
    ...filters.flatMap((name) => (FILTERS[name] ?? []).map((value) => ({ [name]: named(value, ids) }))),
  ];
  const ranges = names.includes("from") && names.includes("to") ? [{}, ...RANGES] : [{}];
  const found = path
    .replace("{webhook_id}", ids.webhook)
    .replace("{destination_id}", ids.destination)
    .replace("{app_id}", ids.app)
    .replace("{alert_id}", ids.alert)
    .replace("{project_id}", ids.project)
    .replace("{file_id}", `file_${String(1_000_000).padStart(26, "0")}`);
  assert.ok(!found.includes("{"), `${operationId}: no value for a parameter of ${path}`);
  return choices.flatMap((choice) =>
    ranges.map((range) => {
      const search = new URLSearchParams({ ...choice, ...range } as Record<string, string>).toString();
      return search === "" ? found : `${found}?${search}`;
    }),
  );
}

function named(value: string, ids: Ids): string {
  return value === "PROJECT" ? ids.project : value === "CREDENTIAL" ? ids.credential : value;
}

/** Asks, and what is wrong with the plans of what was read for it. The next page is asked for, too. */
async function faultsOf(ground: Ground, path: string): Promise<string[]> {
  const reads = new Map<string, ObservedRead>();
  const stop = observeReads((read) => reads.set(read.sql, read));
  const startedMs = performance.now();
  const first = await ask(ground, path);
  const tookMs = performance.now() - startedMs;
  const { next_cursor: cursor } = (first.json["data"] ?? first.json) as { next_cursor?: string | null };
  const next = `${path}${path.includes("?") ? "&" : "?"}cursor=${encodeURIComponent(cursor ?? "")}`;
  const second = typeof cursor === "string" ? await ask(ground, next) : first;
  stop();
  process.stderr.write(`${ground.app.metadata.dialect} ${tookMs.toFixed(0).padStart(6)} ms ${first.status} ${path}\n`);
  for (const { status, json } of [first, second])
    if (status !== 200) return [`${path}: ${status} ${JSON.stringify(json)}`];
  if (reads.size === 0) return [`${path}: nothing was read`];
  const found: string[] = [];
  for (const read of reads.values()) {
    const fault = ground.app.metadata.dialect === "sqlite" ? await scanOf(ground, read) : await pagesOf(ground, read);
    if (fault !== undefined) found.push(`${path}: ${fault}\n  ${read.sql.slice(0, 600)}`);
  }
  return found;
}

async function ask({ app, token }: Ground, path: string): Promise<{ status: number; json: Record<string, unknown> }> {
  const response = await fetch(`http://${app.listen}${path}`, { headers: { authorization: `Bearer ${token}` } });
  const text = await response.text();
  return { status: response.status, json: text.startsWith("{") ? (JSON.parse(text) as Record<string, unknown>) : {} };
}

async function explain({ app, plans }: Ground, read: ObservedRead, word: string): Promise<Record<string, unknown>[]> {
  const sql = `${word} ${read.sql}`;
  if (plans !== null) return plans.prepare(sql).all();
  const query = { sql, parameters: read.parameters } as unknown as CompiledQuery;
  return (await app.metadata.read.executeQuery(query)).rows as Record<string, unknown>[];
}

/** What has no key in it: small by nature. */
const SMALL = new Set(["signing_key", "node"]);

/** SQLite: a step that goes through a whole table. */
async function scanOf(ground: Ground, read: ObservedRead): Promise<string | undefined> {
  const plan = (await explain(ground, read, "explain query plan")).map(({ detail }) => String(detail));
  const made = new Set(plan.flatMap((step) => /^(?:CO-ROUTINE|MATERIALIZE) (.+)$/.exec(step)?.[1] ?? []));
  const scans = plan.filter((step) => {
    const [, name = ""] = /^SCAN (\(.*?\)|\S+)/.exec(step) ?? [];
    return name !== "" && name !== "CONSTANT" && !made.has(name) && !SMALL.has(name);
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

/** Steps from the root of an index to a row. */
const STEPS = 4;

/** PostgreSQL: more than ten times the pages that hold the answer: one for each row of each table, and the way there. */
async function pagesOf(ground: Ground, read: ObservedRead): Promise<string | undefined> {
  // What repositories hold is counted in an index alone: images have few tags and layers.
  if (/\b(?:count|sum)\(.* from "registry_(?:tag|manifest|blob)"/i.test(read.sql)) return undefined;
  const rows = await explain(ground, read, "explain (analyze, buffers, format json)");
  const plan = (rows[0]?.["QUERY PLAN"] as { Plan: PlanNode }[] | undefined)?.[0]?.Plan;
  if (plan === undefined) return "no plan";
  const nodes = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodes)];
  const tables = nodes(plan).filter((node) => node["Relation Name"] !== undefined).length;
  const pages = plan["Shared Hit Blocks"] + plan["Shared Read Blocks"];
  const allowed = 10 * Math.max(1, tables) * (rowsOf(plan) + STEPS);
  return pages <= allowed ? undefined : `${pages} pages for ${plan["Actual Rows"]} rows of ${tables} tables`;
}

/** Rows of the answer; of a sum those that were summed up, if their number is limited. */
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
    const { ids, token } = await populate(app);
    const statements = await fillStatements(app.metadata, ids);
    // A statement that runs on this thread would wait for a writer that waits for this thread.
    await app.stop();
    if (session === undefined) fillSqlite(join(dataDir, "mooring.db"), statements);
    else
      for (const each of ["set session_replication_role = replica", ...statements, "vacuum analyze"])
        await session.ask(each);
    app = await start();
    plans = session === undefined ? new DatabaseSync(join(dataDir, "mooring.db"), { readOnly: true }) : null;
    await use({ app, ids, token, plans });
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
    identity_url: "http://identity.example",
    webhooks_private_addresses: "allow",
  };
  return { ...defaults, ...local, ...given } as unknown as Config;
}

/** What the lists are of. */
async function populate(app: App): Promise<{ ids: Ids; token: string }> {
  const deps = { metadata: app.metadata, clock: systemClock };
  const made = await bootstrapOrganization(deps, { org: "many", project: "open", app: "many-app" });
  const org = made.organization.id;
  const { credential, clientSecret } = await app.identity.credentials.create(
    { actor: { kind: "system", id: null, orgId: org } },
    { name: "test", projectId: null, scopes: contract.SCOPES },
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
  const ids: Ids = {
    org,
    project: made.project.id,
    app: made.app.id,
    webhook,
    destination: String(destination["id"]),
    alert: String(alert["id"]),
    credential: credential.id,
    query,
  };
  return { ids, token };
}
