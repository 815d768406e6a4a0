import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { FILE_ROUTES } from "@mooring/contract";
import { boundToken, projectPairs } from "../../organization/testing/requests.ts";
import { testOperation } from "../../organization/testing/suite.ts";
import { createWorld, type World } from "../../organization/testing/world.ts";
import { newFile, newGrant, WITH_FILES } from "../testing/files.ts";

testOperation(
  FILE_ROUTES.listFiles,
  {
    ask: async (world) => {
      await newFile(world);
      return { path: "/v1/files?limit=10&offset=0" };
    },
    hidden: (world) => projectPairs(world, (name) => ({ path: `/v1/files?project=${name}` })),
  },
  WITH_FILES,
);

describe("the list of files", () => {
  let world: World;
  before(async () => {
    world = await createWorld(WITH_FILES);
    const inside = await world.token({ projectId: world.acme.closed.id });
    await newFile(world, { filename: "theirs" }, await world.token({ tenant: world.rival }));
    await newFile(world, { filename: "one" });
    await newFile(world, { filename: "closed" }, inside);
    for (const filename of ["two", "tee", "t\u{10ffff}x"]) await newFile(world, { filename });
    await newFile(world, { filename: "open", project: "open" });
    await newGrant(world, { filename: "never came" });
  });
  after(() => world.close());

  /** Page by page; every page must tell the same total. */
  async function names(token: string, query = "", limit = 2): Promise<string[]> {
    const found: string[] = [];
    for (let total = Number.POSITIVE_INFINITY; found.length < total;) {
      const page = await world.call("GET", `/v1/files?limit=${limit}&offset=${found.length}${query}`, { token });
      assert.equal(page.status, 200, page.text);
      const data = page.json["data"] as { files: { filename: string }[]; total: number };
      assert.equal(
        data.files.length,
        Math.min(limit, data.total - found.length),
        `at ${found.length} of ${data.total}`,
      );
      if (total !== Number.POSITIVE_INFINITY) assert.equal(data.total, total);
      total = data.total;
      found.push(...data.files.map((file) => file.filename));
    }
    return found;
  }

  test("has what the token reaches, newest first, in pages of any size", async () => {
    const organizations = ["open", "t\u{10ffff}x", "tee", "two", "one"];
    for (const limit of [1, 2, 3, 4, 5, 100])
      assert.deepEqual(await names(await world.token(), "", limit), organizations);
    assert.deepEqual(await names(await world.token(), "&project=open"), ["open"]);
    assert.deepEqual(await names(await boundToken(world)), ["open"]);
    assert.deepEqual(await names(await world.token({ projectId: world.acme.closed.id })), ["closed"]);
    assert.deepEqual(await names(await world.token({ tenant: world.rival })), ["theirs"]);
    const owner = world.person(world.acme, world.acme.people.owner);
    assert.deepEqual(await names(owner), ["open", "t\u{10ffff}x", "tee", "two", "closed", "one"]);
  });

  test("takes a prefix of the name, which no character of it escapes", async () => {
    const token = await world.token();
    assert.deepEqual(await names(token, "&prefix=t"), ["t\u{10ffff}x", "tee", "two"]);
    assert.deepEqual(await names(token, "&prefix=te"), ["tee"]);
    assert.deepEqual(await names(token, `&prefix=${encodeURIComponent("t\u{10ffff}")}`), ["t\u{10ffff}x"]);
    for (const prefix of ["%", "_", "T", "theirs", "closed", "'"])
      assert.deepEqual(await names(token, `&prefix=${encodeURIComponent(prefix)}`), [], prefix);
  });

  test("an offset past the end is an empty page", async () => {
    const page = await world.call("GET", "/v1/files?offset=5000000", { token: await world.token() });
    assert.deepEqual(page.json["data"], { files: [], total: 5 });
  });
});
