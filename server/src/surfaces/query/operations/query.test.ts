import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { insertProject, newProject } from "#domain/projects/index.ts";
import { bearer, credentialOf, startTestServer, type TestServer } from "#http/testing/host.ts";
import { NOT_SUSPENDED } from "#domain/suspension/index.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import type { TelemetryStore } from "#stores/telemetry/index.ts";
import { openTestTelemetry, type TestTelemetry } from "#stores/telemetry/testing/telemetry.ts";
import { createQuerySurface } from "../index.ts";

let telemetry: TestTelemetry;
let metadata: MetadataStore;
let store: TelemetryStore;
let server: TestServer;

before(async () => {
  telemetry = await openTestTelemetry();
  ({ metadata, store } = telemetry);
  const projects = [
    { id: "proj_open", slug: "open", visibility: "organization" as const },
    { id: "proj_closed", slug: "closed", visibility: "private" as const },
  ];
  await metadata.write(async (tx) => {
    await tx
      .insertInto("organization")
      .values({
        id: "org_a",
        slug: "a",
        name: "A",
        token_lifetime_s: 900,
        policy: "{}",
        created_at: 0,
        ...NOT_SUSPENDED,
      })
      .execute();
    for (const project of projects) {
      const row = { ...project, org_id: "org_a", name: project.slug, environment: null, created_at: 0 };
      await insertProject(tx, newProject(row));
    }
  });
  await metadata.write(async (tx) => {
    const gone = { org_id: "org_a", deleted_at: 1 };
    await tx
      .insertInto("deleted_project")
      .values({ ...gone, id: "proj_gone", visibility: "organization" })
      .execute();
    await tx
      .insertInto("deleted_project")
      .values({ ...gone, id: "proj_gone_closed", visibility: "private" })
      .execute();
  });
  await append("org_a", "proj_gone", "gone");
  await append("org_a", "proj_gone_closed", "gone and closed");
  await append("org_a", null, "unassigned");
  await append("org_a", "proj_open", "open");
  await append("org_a", "proj_closed", "closed");
  await append("org_b", null, "other organization");
  const read = ["telemetry:read"] as const;
  server = await startTestServer({
    principals: {
      a: credentialOf("org_a", read),
      closed: credentialOf("org_a", read, "proj_closed"),
      b: credentialOf("org_b", read),
      writer: credentialOf("org_a", ["telemetry:write"]),
    },
    mount: (host) =>
      createQuerySurface({
        host,
        metadata,
        store,
        nodeId: "node_1",
        limits: { timeoutMs: 10_000, timeoutMsMax: 20_000, rowsMax: 1000, memoryBytesMax: 2 ** 28 },
      }),
  });
});

after(async () => {
  await server.stop();
  await telemetry.close();
});

async function append(orgId: string, projectId: string | null, message: string): Promise<void> {
  const row = {
    timestamp: "2026-11-20T08:00:00Z",
    level: "info",
    message,
    ...(projectId === null ? {} : { project_id: projectId }),
  };
  await store.append({ orgId, type: "logs", rows: Buffer.from(`${JSON.stringify(row)}\n`), count: 1 });
}

async function ask(body: unknown, token = "a", headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${server.url}/v1/query`, {
    method: "POST",
    body: JSON.stringify(body),
    headers: { ...bearer(token), "content-type": "application/json", ...headers },
  });
}

async function problemOf(
  response: Response,
): Promise<{ status: number; code: string; errors?: { pointer: string }[]; required_scope?: string }> {
  return (await response.json()) as { status: number; code: string };
}

async function messages(token: string): Promise<string[]> {
  const response = await ask({ sql: "select message from logs order by message" }, token);
  assert.equal(response.status, 200, await response.clone().text());
  const { rows } = (await response.json()) as { rows: { message: string }[] };
  return rows.map((row) => row.message);
}

test("each principal sees its organization's rows; rows of a private project only from inside it", async () => {
  assert.deepEqual(await messages("a"), ["gone", "open", "unassigned"]);
  assert.deepEqual(await messages("closed"), ["closed"]);
  assert.deepEqual(await messages("b"), ["other organization"]);
});

test("from and to limit the rows, and an invalid range is refused", async () => {
  const sql = "select count(*) as n from logs";
  const count = async (range: object): Promise<unknown> => {
    const { rows } = (await (await ask({ sql, ...range })).json()) as { rows: { n: number }[] };
    return rows[0]?.n;
  };
  const [at, later] = ["2026-11-20T08:00:00Z", "2026-11-20T08:00:00.000001Z"];
  assert.equal(await count({ from: at }), 3);
  assert.equal(await count({ from: at, to: later }), 3);
  assert.equal(await count({ from: later }), 0);
  assert.equal(await count({ to: at }), 0);
  const refused = await problemOf(await ask({ sql, from: later, to: at }));
  assert.deepEqual([refused.status, refused.code, refused.errors?.[0]?.pointer], [400, "invalid_body", "/to"]);
  assert.equal((await problemOf(await ask({ sql, from: "yesterday" }))).errors?.[0]?.pointer, "/from");
});

test("Accept chooses the format; an unsupported one is 406", async () => {
  const sql = "select 1 as one, 'a,b' as two";
  const json = (await (await ask({ sql })).json()) as {
    columns: { name: string }[];
    rows: object[];
    row_count: number;
    truncated: boolean;
  };
  assert.deepEqual(
    [json.columns.map((column) => column.name), json.rows, json.row_count, json.truncated],
    [["one", "two"], [{ one: 1, two: "a,b" }], 1, false],
  );
  const ndjson = await ask({ sql }, "a", { accept: "application/x-ndjson" });
  assert.match(ndjson.headers.get("content-type") ?? "", /^application\/x-ndjson/);
  assert.equal(await ndjson.text(), '{"one":1,"two":"a,b"}\n');
  const csv = await ask({ sql }, "a", { accept: "text/csv, application/json;q=0.5" });
  assert.equal(await csv.text(), 'one,two\r\n1,"a,b"\r\n');
  assert.equal((await problemOf(await ask({ sql }, "a", { accept: "image/png" }))).code, "not_acceptable");
});

test("limit cuts the result and reports it; exceeding the server's own limit is an error", async () => {
  const cut = (await (await ask({ sql: "select * from range(10)", limit: 3 })).json()) as {
    row_count: number;
    truncated: boolean;
  };
  assert.deepEqual([cut.row_count, cut.truncated], [3, true]);
  assert.equal((await problemOf(await ask({ sql: "select * from range(1001)" }))).code, "query_too_large");
});

test("limits beyond the server's are refused with pointers", async () => {
  const problem = await problemOf(await ask({ sql: "select 1", timeout_ms: 20_001, limit: 1001 }));
  assert.deepEqual([problem.status, problem.errors?.map((error) => error.pointer)], [400, ["/timeout_ms", "/limit"]]);
});

test("parameters are bound, by position and by name", async () => {
  const byName = (await (await ask({ sql: "select $a as a", parameters: { a: "x' or 1=1" } })).json()) as {
    rows: object[];
  };
  assert.deepEqual(byName.rows, [{ a: "x' or 1=1" }]);
  const byPlace = (await (await ask({ sql: "select ? + 1 as n", parameters: [41] })).json()) as { rows: object[] };
  assert.deepEqual(byPlace.rows, [{ n: 42 }]);
});

test("an invalid, forbidden or slow statement gets a clear 4xx", async () => {
  assert.equal((await problemOf(await ask({ sql: "selec 1" }))).code, "invalid_sql");
  assert.equal((await problemOf(await ask({ sql: "copy logs to 'x.csv'" }))).status, 400);
  assert.equal((await problemOf(await ask({ sql: "select * from read_text('/etc/passwd')" }))).code, "sql_not_allowed");
  const slow = "select count(*) from range(100000000) a, range(1000) b";
  assert.equal((await problemOf(await ask({ sql: slow, timeout_ms: 200 }))).code, "query_timeout");
});

test("an invalid body is 400 with pointers; no credentials 401; no scope 403", async () => {
  assert.deepEqual((await problemOf(await ask({ sq: "select 1" }))).errors?.map((error) => error.pointer).toSorted(), [
    "/sq",
    "/sql",
  ]);
  assert.equal((await problemOf(await ask({ sql: "select 1" }, "nobody"))).status, 401);
  const refused = await problemOf(await ask({ sql: "select 1" }, "writer"));
  assert.deepEqual([refused.status, refused.required_scope], [403, "telemetry:read"]);
});

test("a caller that disconnects cancels the query", async () => {
  const controller = new AbortController();
  const slow = fetch(`${server.url}/v1/query`, {
    method: "POST",
    body: JSON.stringify({ sql: "select count(*) from range(100000000) a, range(1000) b", timeout_ms: 20_000 }),
    headers: { ...bearer("a"), "content-type": "application/json" },
    signal: controller.signal,
  });
  await until(() => store.health().queriesRunning === 1);
  controller.abort();
  await assert.rejects(slow);
  await until(() => store.health().queriesRunning === 0);
});

async function until(condition: () => boolean): Promise<void> {
  const deadline = performance.now() + 60_000;
  while (!condition()) {
    assert.ok(performance.now() < deadline, "the condition did not come true within a minute");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
