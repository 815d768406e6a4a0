import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { SAVED_QUERY_ROUTES } from "@mooring/contract";
import { boundToken, fresh, projectPairs } from "../../organization/testing/requests.ts";
import { assertProblem, testOperation } from "../../organization/testing/suite.ts";
import { createWorld, type World } from "../../organization/testing/world.ts";
import { newSavedQuery, save, WITH_QUERIES } from "../testing/saved.ts";

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
    world = await createWorld(WITH_QUERIES);
  });
  after(() => world.close());

  test("tells its parameters, and refuses values for others", async () => {
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

  test("a refused statement is pointed at", async () => {
    const refused = await save(world, { sql: "select * from read_text('/etc/passwd')" }, await world.token());
    assertProblem(refused, "sql_not_allowed");
    assert.equal((refused.json["errors"] as { pointer: string }[])[0]?.pointer, "/sql");
  });

  test("a name may be used once in each project and once beside them", async () => {
    const [name, token] = ["used once", await world.token()];
    assert.equal((await save(world, { name }, token)).status, 201);
    assert.equal((await save(world, { name, project: "open" }, token)).status, 201);
    assertProblem(await save(world, { name, project: "open" }, token), "conflict");
  });

  test("needs the right to read what it asks for, and viewers may not", async () => {
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
