import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { SAVED_QUERY_ROUTES } from "@mooring/contract";
import { assertProblem, testOperation } from "../../organization/testing/suite.ts";
import { createWorld, type World } from "../../organization/testing/world.ts";
import { newSavedQuery, savedQueryPairs, WITH_QUERIES } from "../testing/saved.ts";

const path = (id: string): string => `/v1/query/saved/${id}`;

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
    world = await createWorld(WITH_QUERIES);
  });
  after(() => world.close());

  test("what it brings along must fit the statement, whichever of them changes", async () => {
    const token = await world.token();
    const id = await newSavedQuery(world, { sql: "select $a::INT as a", parameters: { a: 1 } });
    const change = (body: object) => world.call("PATCH", path(id), { token, body });
    assertProblem(await change({ sql: "select $b::INT as b" }), "invalid_body");
    assertProblem(await change({ parameters: { b: 1 } }), "invalid_body");
    const changed = await change({ sql: "select $b::INT as b", parameters: { b: 1 } });
    assert.deepEqual([changed.status, changed.json["parameter_names"]], [200, ["b"]]);
  });

  test("goes through with the version that was read, once", async () => {
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
