/** The rows and resources that a token reaches: its organization's, and among them those of visible projects. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { refused, type Answer } from "../fixtures/http.ts";
import { useSharedServer, type Bootstrap, type Client } from "../fixtures/server.ts";
import { ingested, logEntry, query, rows } from "../fixtures/telemetry.ts";

const OURS = "row of acme";
const THEIRS = "row of globex";

let other: Bootstrap;
let otherToken: string;

const shared = useSharedServer(async ({ server, token }) => {
  other = await server.bootstrap({ org: `${shared.home.org.slug}-rival`, project: "plant", app: "reactor" });
  otherToken = await server.token(other.credential);
  await ingested(server, token, "logs", [logEntry(OURS, { attributes: { key: OURS } })]);
  await ingested(server, otherToken, "logs", [logEntry(THEIRS, { attributes: { key: THEIRS } })]);
});

function attempts(orgId: string, dataDir: string): string[] {
  return [
    "select * from logs",
    "select message from main.logs",
    "select message from memory.main.logs",
    `select message from "${orgId}".logs`,
    `select message from ${orgId}.main.logs`,
    `select message from "${orgId}_logs"`,
    "select message from logs union all select message from logs",
    "with logs as (select * from logs) select * from logs",
    "with recursive r as (select message from logs union all select message from r where false) select * from r",
    "select * from logs l join logs r on true",
    "select (select string_agg(message, ',') from logs) as all_of_them",
    "select * from logs where message like '%' or true",
    `select * from logs where project_id is null or project_id is not null or '${orgId}' = '${orgId}'`,
    `select * from read_json('${dataDir}/telemetry/hot/${orgId}/logs/*.ndjson')`,
    `select * from read_ndjson_objects('${dataDir}/telemetry/**')`,
    `select * from read_text('${dataDir}/telemetry/wal/*')`,
    `select * from read_blob('${dataDir}/**')`,
    `select * from glob('${dataDir}/**')`,
    `select * from '${dataDir}/telemetry/hot/${orgId}/logs/a.ndjson'`,
    `select * from parquet_metadata('${dataDir}/**/*.parquet')`,
    `attach '${dataDir}/mooring.db' as m (type sqlite)`,
    "select * from duckdb_views()",
    "select sql from sqlite_master",
    "select * from duckdb_external_file_cache()",
    "select filename from logs",
    "select * from read_json_auto('logs')",
    "summarize logs",
    "describe logs",
    "show tables",
    "from logs",
    "pivot logs on message using count(*)",
    "select unnest(list(message)) from logs",
    "select * from query('select * from logs')",
    "explain select * from logs",
  ];
}

test("no query of one organization shows a row or a name of another", async () => {
  const sides = [
    { token: shared.token, own: OURS, foreign: THEIRS, foreignOrg: other.org.id },
    { token: otherToken, own: THEIRS, foreign: OURS, foreignOrg: shared.home.org.id },
  ];
  for (const { token, own, foreign, foreignOrg } of sides) {
    for (const sql of attempts(foreignOrg, shared.server.dataDir)) {
      const answer = await query(shared.server, token, sql);
      assert.ok(answer.status === 200 || answer.status === 400, `${sql}: ${answer.text}`);
      if (!sql.includes(foreign)) assert.ok(!answer.text.includes(foreign), `${sql} showed ${answer.text}`);
      // An error may quote the statement, but a result never has the other organization's ID.
      if (answer.status === 200)
        assert.ok(!answer.text.includes(foreignOrg) || sql.includes(foreignOrg), `${sql} showed ${answer.text}`);
    }
    assert.deepEqual(await rows(shared.server, token, "select message from logs"), [{ message: own }]);
  }
});

test("concurrent queries of two organizations never mix", async () => {
  const turns = Array.from({ length: 36 }, async (_, i) => {
    const [token, own] = i % 2 === 0 ? [shared.token, OURS] : [otherToken, THEIRS];
    assert.deepEqual(await rows(shared.server, token, "select distinct message from logs"), [{ message: own }]);
  });
  await Promise.all(turns);
});

interface Project {
  readonly id: string;
  readonly slug: string;
}

async function created<T>(path: string, json: Record<string, unknown>, token = shared.token): Promise<T> {
  const answer = await shared.server.call("POST", path, { token, json });
  assert.equal(answer.status, 201, answer.text);
  return answer.body as T;
}

async function projectWithToken(slug: string): Promise<{ project: Project; token: string }> {
  const project = await created<Project>("/v1/projects", { slug });
  const scopes = ["telemetry:write", "telemetry:read", "projects:read", "apps:read", "apps:write", "credentials:read"];
  const credential = await created<Client>("/v1/credentials", { name: slug, scopes, project: project.id });
  return { project, token: await shared.server.token(credential) };
}

/** Hides a project. A private project has a maintainer, so this makes a person one first. */
async function hide(project: Project): Promise<void> {
  const member = await shared.server.call("PUT", `/v1/projects/${project.id}/members/${await owner()}`, {
    token: shared.token,
    json: { role: "maintainer" },
  });
  assert.equal(member.status, 200, member.text);
  const answer = await shared.server.call("PATCH", `/v1/projects/${project.id}`, {
    token: shared.token,
    json: { visibility: "private" },
  });
  assert.equal(answer.status, 200, answer.text);
}

async function owner(): Promise<string> {
  const { body } = await shared.server.call<{ items: { user_id: string }[] }>("GET", "/v1/members", {
    token: shared.token,
  });
  return String(body.items[0]?.user_id);
}

async function messages(token: string): Promise<string[]> {
  const found = await rows<{ message: string }>(
    shared.server,
    token,
    "select message from logs where message like 'p:%' order by message",
  );
  return found.map((row) => row.message);
}

test("a project's credential sees the rows of its project only, and a private project's rows are hidden from all others", async () => {
  const red = await projectWithToken("red");
  const blue = await projectWithToken("blue");
  await ingested(shared.server, red.token, "logs", [logEntry("p:red")]);
  await ingested(shared.server, blue.token, "logs", [logEntry("p:blue")]);
  await ingested(shared.server, shared.token, "logs", [logEntry("p:none")]);
  assert.deepEqual(await messages(red.token), ["p:red"]);
  assert.deepEqual(await messages(blue.token), ["p:blue"]);
  assert.deepEqual(await messages(shared.token), ["p:blue", "p:none", "p:red"]);

  await hide(blue.project);
  assert.deepEqual(await messages(shared.token), ["p:none", "p:red"]);
  assert.deepEqual(await messages(red.token), ["p:red"]);
  // The creator of the project's credential no longer reaches the project, so the credential may have lost its scopes.
  // It never has more.
  const own = await query<{ message: string }>(shared.server, blue.token, "select message from logs");
  if (own.status === 200) assert.deepEqual(own.body.rows, [{ message: "p:blue" }]);
  else refused(own, 403, "insufficient_scope");
  const [counted] = await rows<{ n: number }>(
    shared.server,
    shared.token,
    `select count(*) as n from logs where project_id = '${blue.project.id}'`,
  );
  assert.equal(counted?.n, 0);
});

test("a project's credential reaches its own project and no other resource", async () => {
  const green = await projectWithToken("green");
  const get = (path: string): Promise<Answer> => shared.server.call("GET", path, { token: green.token });
  assert.equal((await get(`/v1/projects/${green.project.id}`)).status, 200);
  refused(await get(`/v1/projects/${shared.home.project.id}`), 404, "not_found");
  refused(await get(`/v1/apps/${shared.home.app.id}`), 404, "not_found");
  const listed = (await get("/v1/projects")).body["items"] as Project[];
  assert.deepEqual(
    listed.map((project) => project.slug),
    ["green"],
  );
  assert.deepEqual((await get("/v1/apps")).body["items"], []);
  const escape = await shared.server.call("POST", "/v1/apps", {
    token: green.token,
    json: { project: shared.home.project.id, slug: "escape" },
  });
  refused(escape, 404, "not_found");
});

test("a private project is hidden from the organization's credentials", async () => {
  const secret = await created<Project>("/v1/projects", {
    slug: "secret",
    visibility: "private",
    maintainer: await owner(),
  });
  refused(await shared.server.call("GET", `/v1/projects/${secret.id}`, { token: shared.token }), 404, "not_found");
  refused(await shared.server.call("GET", "/v1/projects/secret", { token: shared.token }), 404, "not_found");
  const listed = await shared.server.call<{ items: Project[] }>("GET", "/v1/projects?limit=100", {
    token: shared.token,
  });
  assert.ok(!listed.body.items.some((project) => project.slug === "secret"));
});

test("another organization may have the same slugs", async () => {
  const theirs = await created<Project>("/v1/projects", { slug: "red" }, otherToken);
  const ours = await shared.server.call<Project>("GET", "/v1/projects/red", { token: shared.token });
  assert.equal(ours.status, 200);
  assert.notEqual(ours.body.id, theirs.id);
});
