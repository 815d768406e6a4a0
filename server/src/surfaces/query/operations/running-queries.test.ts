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
  RUNNING_QUERY_ROUTES.listEndedQueries,
  { ask: () => ({ path: "/v1/queries/ended?limit=5" }) },
  WITH_QUERIES,
);
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

  test("a query that ended is listed for its author and for managers, with what it read", async () => {
    const author = await world.credential({ scopes: ["telemetry:read"] });
    const body = { sql: "SELECT count(*) AS n FROM logs", from: "2026-11-20T00:00:00Z" };
    assert.equal((await world.call("POST", "/v1/query", { token: author.token, body })).status, 200);
    const ended = async (token: string): Promise<readonly Record<string, unknown>[]> => {
      const { json } = await world.call("GET", "/v1/queries/ended?limit=100", { token });
      return json["items"] as Record<string, unknown>[];
    };
    const own = await ended(author.token);
    assert.partialDeepStrictEqual(own, [
      {
        state: "done",
        code: null,
        actor: { kind: "credential", id: author.id },
        statement: body.sql,
        tables: ["logs"],
        from: "2026-11-20T00:00:00.000Z",
        to: null,
        rows_out: 1,
        slow: [],
      },
    ]);
    const owner = world.person(world.acme, world.acme.people.owner);
    const reader = await world.token({ scopes: ["telemetry:read"] });
    const stranger = await world.token({ tenant: world.rival });
    const sees = async (token: string): Promise<boolean> =>
      (await ended(token)).some(({ id }) => id === own[0]?.["id"]);
    assert.deepEqual([await sees(owner), await sees(reader), await sees(stranger)], [true, false, false]);
  });
});
