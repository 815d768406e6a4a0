import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { SAVED_QUERY_ROUTES } from "@mooring/contract";
import { boundToken, projectPairs } from "../../organization/testing/requests.ts";
import { testOperation } from "../../organization/testing/suite.ts";
import { createWorld, type World } from "../../organization/testing/world.ts";
import { newSavedQuery, save, WITH_QUERIES } from "../testing/saved.ts";

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
    world = await createWorld(WITH_QUERIES);
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

  test("has what the token reaches, newest first, in pages", async () => {
    assert.deepEqual(await names(await world.token()), ["open", "three", "two", "one"]);
    assert.deepEqual(await names(await world.token(), "&project=open"), ["open"]);
    assert.deepEqual(await names(await boundToken(world)), ["open"]);
    const owner = world.person(world.acme, world.acme.people.owner);
    assert.deepEqual(await names(owner), ["closed", "open", "three", "two", "one"]);
    assert.deepEqual(await names(await world.token({ tenant: world.rival })), ["theirs"]);
  });
});
