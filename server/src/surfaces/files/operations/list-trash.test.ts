import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { FILE_ROUTES } from "@mooring/contract";
import { boundToken, projectPairs } from "../../organization/testing/requests.ts";
import { testOperation } from "../../organization/testing/suite.ts";
import { createWorld, type World } from "../../organization/testing/world.ts";
import { newTrashed, WITH_FILES } from "../testing/files.ts";

testOperation(
  FILE_ROUTES.listTrash,
  {
    ask: async (world) => {
      await newTrashed(world);
      return { path: "/v1/files/trash?limit=10&offset=0" };
    },
    hidden: (world) => projectPairs(world, (name) => ({ path: `/v1/files/trash?project=${name}` })),
  },
  WITH_FILES,
);

describe("the trash", () => {
  let world: World;
  before(async () => {
    world = await createWorld(WITH_FILES);
  });
  after(() => world.close());

  interface Trash {
    readonly files: Record<string, unknown>[];
    readonly total: number;
    readonly bytes: number;
  }

  const trash = async (token: string, query = ""): Promise<Trash> =>
    (await world.call("GET", `/v1/files/trash${query}`, { token })).json["data"] as Trash;
  const names = async (token: string, query = ""): Promise<unknown[]> =>
    (await trash(token, query)).files.map((file) => file["filename"]);

  test("has what the token reaches, last deleted first, with who deleted it and until when it is kept", async () => {
    const { id: deleter, token } = await world.credential();
    const inside = await world.token({ projectId: world.acme.closed.id });
    await newTrashed(world, { filename: "theirs" }, await world.token({ tenant: world.rival }));
    await newTrashed(world, { filename: "closed" }, inside);
    for (const filename of ["one", "two"]) await newTrashed(world, { filename }, token);
    await newTrashed(world, { filename: "open", project: "open" }, token);
    assert.deepEqual(await names(token), ["open", "two", "one"]);
    assert.deepEqual(await names(token, "?limit=1&offset=1"), ["two"]);
    assert.deepEqual(await names(token, "?offset=9"), []);
    assert.deepEqual(await names(token, "?project=open"), ["open"]);
    assert.deepEqual(await names(await boundToken(world)), ["open"]);
    assert.deepEqual(await names(inside), ["closed"]);
    assert.deepEqual(await names(await world.token({ tenant: world.rival })), ["theirs"]);
    const { files, total, bytes } = await trash(token);
    assert.deepEqual([total, bytes], [3, 27]);
    assert.equal(files[0]?.["deleted_by"], deleter);
    const keptMs = Date.parse(String(files[0]?.["purge_at"])) - Date.parse(String(files[0]?.["deleted_at"]));
    assert.equal(keptMs, 7 * 86_400_000);
  });
});
