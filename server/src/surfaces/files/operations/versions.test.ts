import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { FILE_ROUTES } from "@mooring/contract";
import { testOperation } from "../../organization/testing/suite.ts";
import { createWorld, type World } from "../../organization/testing/world.ts";
import { filePairs, newFile, newTrashed, WITH_FILES } from "../testing/files.ts";

const path = (id: string): string => `/v1/files/${id}/versions`;

testOperation(
  FILE_ROUTES.listFileVersions,
  {
    ask: async (world) => ({ path: path(await newFile(world)) }),
    hidden: (world) => filePairs(world, (id) => ({ path: path(id) })),
  },
  WITH_FILES,
);

describe("versions of a file", () => {
  let world: World;
  before(async () => {
    world = await createWorld(WITH_FILES);
  });
  after(() => world.close());

  test("are the files with exactly its name in its place, newest first", async () => {
    const token = await world.token();
    const ids: string[] = [];
    for (let n = 0; n < 3; n++) ids.unshift(await newFile(world, { filename: "a%.txt" }, token));
    await newFile(world, { filename: "a%.txt.old" }, token);
    await newFile(world, { filename: "abc.txt" }, token);
    await newFile(world, { filename: "a%.txt" }, await world.token({ tenant: world.rival }));
    await newTrashed(world, { filename: "a%.txt" }, token);
    const inside = await newFile(world, { filename: "a%.txt", project: "open" }, token);
    const versions = async (id: string, query = ""): Promise<unknown> => {
      const answer = await world.call("GET", path(id) + query, { token });
      const { files, total } = answer.json["data"] as { files: { id: string }[]; total: number };
      return [total, ...files.map((file) => file.id)];
    };
    for (const id of ids) assert.deepEqual(await versions(id), [3, ...ids]);
    assert.deepEqual(await versions(ids[0] ?? "", "?limit=1&offset=1"), [3, ids[1]]);
    assert.deepEqual(await versions(inside), [1, inside]);
  });
});
