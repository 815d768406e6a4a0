/**
 * No change is lost silently (reference, 409): every PATCH and PUT of an organization's resources, with an old version
 * and with concurrent changes.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import * as contract from "@mooring/contract";
import type { Answer } from "../fixtures/http.ts";
import { RELAXED, useSharedServer, type Bootstrap, type Json, type Server } from "../fixtures/server.ts";

const ROWS = Object.entries(contract)
  .filter(([name]) => name.endsWith("_ROUTES"))
  .flatMap(([, rows]) => Object.values(rows as Readonly<Record<string, contract.Route>>))
  .filter(
    ({ method, permission }) =>
      (method === "PATCH" || method === "PUT") && permission !== "session" && permission !== "instance",
  );

/** Rows whose path has no GET. */
const WITHOUT_READ = new Set(["updateMember", "putProjectMember", "putGroupMember", "putProjectGroup"]);
const DAY_MS = 86_400_000;
const AT_ONCE = 6;
const DEADLINE_MS = 60_000;

let server: Server;
let home: Bootstrap;
let token: string;
useSharedServer(async (shared) => void ({ server, home, token } = shared), RELAXED);

async function made(path: string, json: unknown): Promise<string> {
  const answer = await server.call<{ id: string }>("POST", path, { token, json });
  assert.ok(answer.status === 201 || answer.status === 200, `${path}: ${answer.text}`);
  return answer.body.id;
}

interface Subject {
  readonly path: string;
  /** Returns a change that differs for each number. */
  readonly change: (n: number) => Json;
}

const named = (path: string): Subject => ({ path, change: (n) => ({ name: `name ${n}` }) });
const days = (n: number): number => (n % 300) + 1;

/** A resource of each row, and changes of it. */
const SUBJECTS: Readonly<Record<string, () => Promise<Subject> | Subject>> = {
  updateOrganization: () => named("/v1/organization"),
  updateProject: () => named(`/v1/projects/${home.project.id}`),
  updateApp: () => named(`/v1/apps/${home.app.id}`),
  updateMember: async () => ({ path: `/v1/members/${await ownerId()}`, change: () => ({ role: "owner" }) }),
  putProjectMember: async () => ({
    path: `/v1/projects/${home.project.id}/members/${await ownerId()}`,
    change: (n) => ({ role: ["reader", "writer", "maintainer"][n % 3] }),
  }),
  updateGroup: async () => named(`/v1/groups/${await madeGroup()}`),
  updateRole: async () =>
    named(
      `/v1/roles/${await made("/v1/roles", { slug: `role-${++groups}`, kind: "project", scopes: ["files:read"] })}`,
    ),
  putGroupMember: async () => ({
    path: `/v1/groups/${await madeGroup()}/members/${await ownerId()}`,
    change: (n) => ({ expires_at: new Date(Date.now() + days(n) * DAY_MS).toISOString() }),
  }),
  putProjectGroup: async () => ({
    path: `/v1/projects/${home.project.id}/groups/${await madeGroup()}`,
    change: (n) => ({ role: ["reader", "writer", "maintainer"][n % 3] }),
  }),
  updateCredential: async () =>
    named(`/v1/credentials/${await made("/v1/credentials", { name: "a", scopes: ["apps:read"] })}`),
  updateS3Key: async () => named(`/v1/s3/keys/${await made("/v1/s3/keys", { name: "a", scopes: ["s3:read"] })}`),
  updateIngestKey: async () => named(`/v1/ingest-keys/${await made("/v1/ingest-keys", { name: "a" })}`),
  updateFileSettings: () => ({ path: "/v1/files/settings", change: (n) => ({ trash_days: days(n) % 30 }) }),
  updateImageRepository: () => ({
    path: `/v1/registry/repositories/${home.app.id}`,
    change: (n) => ({ immutable_tags: [`v${n}`] }),
  }),
  updateTelemetrySettings: () => ({
    path: "/v1/telemetry/settings",
    change: (n) => ({ retention_days: { logs: days(n) } }),
  }),
  updateRetentionRules: () => ({
    path: "/v1/telemetry/retention-rules",
    change: (n) => ({ rules: [{ name: `v${n}`, type: "logs", match: { service: "a" }, days: days(n) }] }),
  }),
  updateAccessLogSettings: () => ({
    path: "/v1/access-log/settings",
    change: (n) => ({ retention_days: days(n) }),
  }),
  updateQueryLogSettings: () => ({
    path: "/v1/query-log/settings",
    change: (n) => ({ retention_days: days(n) }),
  }),
  updateQuota: () => ({
    path: `/v1/quotas/project/${home.project.id}`,
    change: (n) => ({ max_bytes: 1_000_000_000 + n }),
  }),
  updateIngestRule: async () =>
    named(`/v1/ingest-rules/${await made("/v1/ingest-rules", { name: "a", types: ["logs"], action: "drop" })}`),
  updateWebhook: () => named(`/v1/webhooks/${home.webhook.id}`),
  updateWebhookSettings: () => ({
    path: `/v1/projects/${home.project.id}/webhook-settings`,
    change: (n) => ({ retention_days: days(n) }),
  }),
  updateWebhookDestination: async () => {
    const path = `/v1/webhooks/${home.webhook.id}/destinations`;
    return named(`${path}/${await made(path, { name: "a", url: "http://127.0.0.1:1/" })}`);
  },
  updateSavedQuery: async () => named(`/v1/query/saved/${await savedQuery()}`),
  updateAlert: async () => {
    const query_id = await savedQuery();
    const condition = { operator: ">", threshold: 1 };
    const alert = { name: "a", query_id, every_s: 3600, condition, url: "http://127.0.0.1:1/" };
    return named(`/v1/alerts/${await made("/v1/alerts", alert)}`);
  },
};

let groups = 0;
async function madeGroup(): Promise<string> {
  return made("/v1/groups", { slug: `group-${++groups}` });
}

let queries = 0;
async function savedQuery(): Promise<string> {
  return made("/v1/query/saved", { name: `query ${++queries}`, sql: "SELECT count(*) AS n FROM logs" });
}

async function ownerId(): Promise<string> {
  const page = await server.call<{ items: { user_id: string }[] }>("GET", "/v1/members", { token });
  return page.body.items[0]?.user_id ?? "";
}

function send(method: string, { path }: Subject, json: Json, ifMatch?: string): Promise<Answer<Json>> {
  return server.call(method, path, { token, json, headers: ifMatch === undefined ? {} : { "if-match": ifMatch } });
}

test("every row has a subject here", () => {
  assert.deepEqual(Object.keys(SUBJECTS).toSorted(), ROWS.map(({ operationId }) => operationId).toSorted());
});

for (const { operationId, method } of ROWS) {
  test(`${operationId}: an old version is refused, and the version that a change returned is accepted`, async () => {
    const subject = await (SUBJECTS[operationId] as () => Promise<Subject>)();
    const first = await send(method, subject, subject.change(1), "*");
    assert.equal(first.status, 200, first.text);
    const etag = first.headers.get("etag") ?? "";
    if (!WITHOUT_READ.has(operationId))
      assert.equal((await server.call("GET", subject.path, { token })).headers.get("etag"), etag);
    assert.equal((await send(method, subject, subject.change(2), etag)).status, 200);
    for (const stale of operationId === "updateMember" ? ['"stale"'] : [etag, '"stale"']) {
      const refused = await send(method, subject, subject.change(3), stale);
      assert.deepEqual([refused.status, refused.body["code"]], [409, "concurrent_update"], refused.text);
    }
  });

  // The only member keeps its role, so no change of it can be lost.
  if (operationId === "updateMember") continue;

  test(`${operationId}: no concurrent change is lost silently`, async () => {
    const subject = await (SUBJECTS[operationId] as () => Promise<Subject>)();
    const until = performance.now() + DEADLINE_MS;
    for (let round = 1; ; round++) {
      const numbers = Array.from({ length: AT_ONCE }, (_, i) => round * AT_ONCE + i);
      const answers = await Promise.all(numbers.map((n) => send(method, subject, subject.change(n))));
      const won = answers.filter(({ status }) => status === 200).length;
      for (const { status, body, text } of answers)
        if (status !== 200) assert.deepEqual([status, body["code"]], [409, "concurrent_update"], text);
      assert.ok(won > 0, "one of them must win");
      if (won < AT_ONCE) break;
      assert.ok(performance.now() < until, `all of ${AT_ONCE} changes at once were accepted, ${round} times`);
    }
  });
}
