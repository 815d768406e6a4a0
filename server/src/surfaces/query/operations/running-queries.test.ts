import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { RUNNING_QUERY_ROUTES } from "@mooring/contract";
import { newId } from "#kernel/ids.ts";
import { testOperation, type Ask } from "../../organization/testing/suite.ts";
import { sharedWorld, type World } from "../../organization/testing/world.ts";
import { runElsewhere } from "../testing/elsewhere.ts";
import { WITH_QUERIES } from "../testing/saved.ts";

testOperation(RUNNING_QUERY_ROUTES.listQueries, { ask: () => ({ path: "/v1/queries" }) }, WITH_QUERIES);
testOperation(
  RUNNING_QUERY_ROUTES.cancelQueries,
  {
    ask: () => ({ path: "/v1/queries?actor=cred_nobody" }),
  },
  WITH_QUERIES,
);
testOperation(
  RUNNING_QUERY_ROUTES.cancelQuery,
  {
    ask: async (world) => ({ path: `/v1/queries/${await runElsewhere(world, world.acme.id)}` }),
    hidden: async (world) => {
      const names = [await runElsewhere(world, world.rival.id), newId("stmt", 1)] as const;
      const [hidden, absent] = names.map((id) => ({ path: `/v1/queries/${id}` })) as [Ask, Ask];
      return [{ hidden, absent, names }];
    },
  },
  WITH_QUERIES,
);

describe("queries of other nodes", () => {
  let world: World;
  before(async () => {
    world = await sharedWorld(WITH_QUERIES);
  });
  after(() => world.close());

  test("a query of another node is listed, and cancelling it tells that node", async () => {
    await world.metadata.write((tx) => tx.deleteFrom("running_query").execute());
    const id = await runElsewhere(world, world.acme.id);
    await runElsewhere(world, world.acme.id, "node_dead");
    const owner = world.person(world.acme, world.acme.people.owner);
    const { json } = await world.call("GET", "/v1/queries", { token: owner });
    assert.deepEqual(
      (json["items"] as { id: string }[]).map((item) => item.id),
      [id],
      "a stopped node has no queries",
    );
    assert.equal((await world.call("DELETE", `/v1/queries/${id}`, { token: owner })).status, 204);
    const { cancelled_by } = await world.metadata.read
      .selectFrom("running_query")
      .select("cancelled_by")
      .where("id", "=", id)
      .executeTakeFirstOrThrow();
    assert.equal(cancelled_by, world.acme.people.owner);
  });
});
