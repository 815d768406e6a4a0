import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { SAVED_QUERY_ROUTES, SCOPES } from "@mooring/contract";
import { boundToken, fresh, projectPairs } from "../../organization/testing/requests.ts";
import { assertProblem, testOperation } from "../../organization/testing/suite.ts";
import { sharedWorld, type Answer, type World } from "../../organization/testing/world.ts";
import { appendLogs, newSavedQuery, save, savedQueryPairs, WITH_QUERIES } from "../testing/saved.ts";

const path = (id: string): string => `/v1/query/saved/${id}`;

testOperation(
  SAVED_QUERY_ROUTES.listSavedQueries,
  {
    ask: async (world) => {
      await newSavedQuery(world);
      return { path: "/v1/query/saved?limit=10" };
    },
    hidden: (world) => projectPairs(world, (name) => ({ path: `/v1/query/saved?project=${name}` })),
  },
  WITH_QUERIES,
);

describe("the list of saved queries", () => {
  let world: World;
  before(async () => {
    world = await sharedWorld(WITH_QUERIES);
    await newSavedQuery(world, { name: "theirs" }, world.rival);
    for (const name of ["one", "two", "three"]) await newSavedQuery(world, { name });
    await newSavedQuery(world, { name: "open", project: "open" });
    const inside = await world.token({ projectId: world.acme.closed.id });
    assert.equal((await save(world, { name: "closed", project: world.acme.closed.id }, inside)).status, 201);
  });
  after(() => world.close());

  async function names(token: string, query = ""): Promise<string[]> {
    const found: string[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const path: string = `/v1/query/saved?limit=2${query}${cursor === "" ? "" : `&cursor=${cursor}`}`;
      const page = await world.call("GET", path, { token });
      assert.equal(page.status, 200, page.text);
      found.push(...(page.json["items"] as { name: string }[]).map((item) => item.name));
      cursor = page.json["next_cursor"] as string | null;
    }
    return found;
  }

  test("has the queries that the token reaches, newest first, in pages", async () => {
    assert.deepEqual(await names(await world.token()), ["open", "three", "two", "one"]);
    assert.deepEqual(await names(await world.token(), "&project=open"), ["open"]);
    assert.deepEqual(await names(await boundToken(world)), ["open"]);
    const owner = world.person(world.acme, world.acme.people.owner);
    assert.deepEqual(await names(owner), ["closed", "open", "three", "two", "one"]);
    assert.deepEqual(await names(await world.token({ tenant: world.rival })), ["theirs"]);
  });
});

const PATH = "/v1/query/saved";

testOperation(
  SAVED_QUERY_ROUTES.createSavedQuery,
  {
    ask: () => ({ path: PATH, body: { name: fresh("query"), sql: "select 1", description: "one" } }),
    hidden: (world) =>
      projectPairs(world, (name) => ({ path: PATH, body: { name: fresh("query"), sql: "select 1", project: name } })),
    problems: {
      invalid_sql: async () => ({ path: PATH, body: { name: "x", sql: "selec 1" } }),
      sql_not_allowed: async () => ({ path: PATH, body: { name: "x", sql: "copy logs to 'x'" } }),
      forbidden: async (world) => ({
        path: PATH,
        body: { name: "x", sql: "select 1" },
        token: await boundToken(world),
      }),
      conflict: async (world) => {
        await newSavedQuery(world, { name: "taken" });
        return { path: PATH, body: { name: "taken", sql: "select 2" } };
      },
    },
  },
  WITH_QUERIES,
);

describe("saving a query", () => {
  let world: World;
  before(async () => {
    world = await sharedWorld(WITH_QUERIES);
  });
  after(() => world.close());

  test("returns the statement's parameters, and refuses values for others", async () => {
    const token = await world.token();
    const sql = "select message from logs where timestamp >= $from and level = $level";
    const made = await save(world, { sql, parameters: { level: "error" } }, token);
    assert.deepEqual((made.json["parameter_names"] as string[]).toSorted(), ["from", "level"]);
    const wrong = await save(world, { sql, parameters: { "a/b": 1 } }, token);
    assertProblem(wrong, "invalid_body");
    assert.deepEqual(wrong.json["errors"], [
      { pointer: "/parameters/a~1b", detail: "is not a parameter of the statement" },
    ]);
    assertProblem(await save(world, { sql: "select ?", parameters: [1, 2] }, token), "invalid_body");
  });

  test("the error has the position in the refused statement", async () => {
    const refused = await save(world, { sql: "select * from read_text('/etc/passwd')" }, await world.token());
    assertProblem(refused, "sql_not_allowed");
    assert.equal((refused.json["errors"] as { pointer: string }[])[0]?.pointer, "/sql");
  });

  test("a name can be used once in each project and once in the organization", async () => {
    const [name, token] = ["used once", await world.token()];
    assert.equal((await save(world, { name }, token)).status, 201);
    assert.equal((await save(world, { name, project: "open" }, token)).status, 201);
    assertProblem(await save(world, { name, project: "open" }, token), "conflict");
  });

  test("needs the permission to read its tables; viewers can't save queries", async () => {
    const blind = await world.token({ scopes: ["telemetry:write"] });
    assertProblem(await save(world, {}, blind), "insufficient_scope");
    const viewer = world.person(world.acme, world.acme.people.viewer);
    assertProblem(await save(world, {}, viewer), "insufficient_scope");
    const developer = world.person(world.acme, world.acme.people.developer);
    assert.equal((await save(world, {}, developer)).status, 201);
  });

  test("leaves an audit entry without the statement", async () => {
    const id = await newSavedQuery(world, { sql: "select 'someone@example.org' as who" });
    const entries = await world.call("GET", `/v1/audit?target=${id}`, { token: await world.token() });
    const [entry] = entries.json["items"] as { action: string }[];
    assert.equal(entry?.action, "saved_query.create");
    assert.ok(!entries.text.includes("someone@example.org"));
  });
});

testOperation(
  SAVED_QUERY_ROUTES.getSavedQuery,
  {
    ask: async (world) => ({ path: `/v1/query/saved/${await newSavedQuery(world, { parameters: {} })}` }),
    hidden: (world) => savedQueryPairs(world, (id) => ({ path: `/v1/query/saved/${id}` })),
  },
  WITH_QUERIES,
);

testOperation(
  SAVED_QUERY_ROUTES.updateSavedQuery,
  {
    ask: async (world) => ({ path: path(await newSavedQuery(world)), body: { sql: "select 2", description: "two" } }),
    hidden: (world) => savedQueryPairs(world, (id) => ({ path: path(id), body: { description: "x" } })),
    problems: {
      invalid_sql: async (world) => ({ path: path(await newSavedQuery(world)), body: { sql: "selec" } }),
      sql_not_allowed: async (world) => ({ path: path(await newSavedQuery(world)), body: { sql: "drop table logs" } }),
      conflict: async (world) => {
        await newSavedQuery(world, { name: "taken" });
        return { path: path(await newSavedQuery(world)), body: { name: "taken" } };
      },
    },
  },
  WITH_QUERIES,
);

describe("changing a saved query", () => {
  let world: World;
  before(async () => {
    world = await sharedWorld(WITH_QUERIES);
  });
  after(() => world.close());

  test("parameters must match the statement, whichever of them changes", async () => {
    const token = await world.token();
    const id = await newSavedQuery(world, { sql: "select $a::INT as a", parameters: { a: 1 } });
    const change = (body: object) => world.call("PATCH", path(id), { token, body });
    assertProblem(await change({ sql: "select $b::INT as b" }), "invalid_body");
    assertProblem(await change({ parameters: { b: 1 } }), "invalid_body");
    const changed = await change({ sql: "select $b::INT as b", parameters: { b: 1 } });
    assert.deepEqual([changed.status, changed.json["parameter_names"]], [200, ["b"]]);
  });

  test("succeeds once for the version that was read", async () => {
    const token = await world.token();
    const id = await newSavedQuery(world);
    const etag = (await world.call("GET", path(id), { token })).headers.get("etag") ?? "";
    const rename = (name: string) =>
      world.call("PATCH", path(id), { token, body: { name }, headers: { "if-match": etag } });
    assert.equal((await rename("first")).status, 200);
    assertProblem(await rename("second"), "concurrent_update");
    const now = await world.call("GET", path(id), { token });
    assert.equal(now.json["name"], "first");
    assert.notEqual(now.headers.get("etag"), etag);
  });
});

testOperation(
  SAVED_QUERY_ROUTES.deleteSavedQuery,
  {
    ask: async (world) => ({ path: path(await newSavedQuery(world)) }),
    hidden: (world) => savedQueryPairs(world, (id) => ({ path: path(id) })),
    problems: {
      conflict: async (world) => {
        const id = await newSavedQuery(world);
        await watch(world, id);
        return { path: path(id) };
      },
    },
  },
  WITH_QUERIES,
);

/** Inserts an alert for the query into the records. */
async function watch(world: World, queryId: string): Promise<void> {
  const by = { created_by: "user_1", created_at: 0, updated_by: "user_1", updated_at: 0, revision: 1 };
  const secret = { secret: new Uint8Array(1), secret_version: 1, previous_secret: null, previous_secret_until: null };
  const counts = { progress: "{}", evaluations: 0, deliveries: 0, enabled: 1 };
  const texts = { name: "watching", description: "", settings: "{}", url: "https://example.com/" };
  const row = { id: "alert_1", org_id: world.acme.id, query_id: queryId, ...texts, ...by, ...secret, ...counts };
  await world.metadata.write(async (tx) => void (await tx.insertInto("alert").values(row).execute()));
}

describe("running a saved query", () => {
  let world: World;
  let token: string;
  before(async () => {
    world = await sharedWorld(WITH_QUERIES);
    token = await world.token();
  });
  after(() => world.close());

  function run(id: string, body: unknown = {}, headers: Record<string, string> = {}, as = token): Promise<Answer> {
    return world.call("POST", `/v1/query/saved/${id}/run`, { token: as, body, headers });
  }

  test("answers as a query does, in the accepted format", async () => {
    const id = await newSavedQuery(world, { sql: "select range as n from range(5)" });
    const whole = await run(id);
    assert.deepEqual([whole.status, whole.json["row_count"]], [200, 5]);
    const cut = await run(id, { limit: 2 });
    assert.deepEqual([cut.json["row_count"], cut.json["truncated"]], [2, true]);
    assert.equal((await run(id, { limit: 2 }, { accept: "text/csv" })).text, "n\r\n0\r\n1\r\n");
    assertProblem(await run(id, {}, { accept: "image/png" }), "not_acceptable");
    assertProblem(await run(id, { limit: 1_000_000_000 }), "invalid_body");
    assertProblem(await run(id, { sql: "select 1" }), "invalid_body");
  });

  test("named values are added to the saved ones, a list replaces them", async () => {
    const named = await newSavedQuery(world, { sql: "select $a as a, $b as b", parameters: { a: "saved" } });
    assertProblem(await run(named), "invalid_parameter");
    assert.deepEqual((await run(named, { parameters: { b: "given" } })).json["rows"], [{ a: "saved", b: "given" }]);
    assert.deepEqual((await run(named, { parameters: { a: "x", b: "y" } })).json["rows"], [{ a: "x", b: "y" }]);
    const listed = await newSavedQuery(world, { sql: "select ? as a", parameters: [1] });
    assert.deepEqual((await run(listed)).json["rows"], [{ a: 1 }]);
    assert.deepEqual((await run(listed, { parameters: ["x"] })).json["rows"], [{ a: "x" }]);
  });

  test("runs with the permissions of its caller, not of its author", async () => {
    await appendLogs(world, [null, world.acme.open.id, world.acme.closed.id]);
    const sql = "select message from logs order by message";
    const owner = world.person(world.acme, world.acme.people.owner);
    const made = await save(world, { sql }, owner);
    const seen = async (as: string): Promise<unknown[]> => {
      const answer = await run(String(made.json["id"]), {}, {}, as);
      assert.equal(answer.status, 200, answer.text);
      return (answer.json["rows"] as { message: string }[]).map((row) => row.message);
    };
    const [open, closed] = [world.acme.open.id, world.acme.closed.id];
    assert.deepEqual(await seen(owner), ["none", ...[open, closed].toSorted()]);
    assert.deepEqual(await seen(token), ["none", open]);
  });

  test("no token, a missing scope, and a hidden query like an absent one", async () => {
    const id = await newSavedQuery(world);
    assertProblem(await world.call("POST", `/v1/query/saved/${id}/run`, { body: {} }), "unauthorized");
    const scopes = SCOPES.filter((scope) => scope !== "telemetry:read");
    assertProblem(await run(id, {}, {}, await world.token({ scopes })), "insufficient_scope");
    for (const { hidden, absent, names } of await savedQueryPairs(world, (name) => ({
      path: `/v1/query/saved/${name}/run`,
    }))) {
      const headers = { "request-id": "same-request-id" };
      const ask = (each: typeof hidden): Promise<Answer> =>
        world.call("POST", each.path, { token, body: {}, headers, ...each });
      const [one, other] = [await ask(hidden), await ask(absent)];
      assertProblem(one, "not_found");
      assert.equal(one.text.replaceAll(names[0], "NAME"), other.text.replaceAll(names[1], "NAME"));
    }
  });
});
