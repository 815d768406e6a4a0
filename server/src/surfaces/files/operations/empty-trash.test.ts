import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { FILE_ROUTES } from "@mooring/contract";
import { usageOf } from "#domain/files/index.ts";
import { projectPairs } from "../../organization/testing/requests.ts";
import { testOperation } from "../../organization/testing/suite.ts";
import { createWorld, type World } from "../../organization/testing/world.ts";
import { newFile, newTrashed, WITH_FILES } from "../testing/files.ts";

const PATH = "/v1/files/trash";

testOperation(
  FILE_ROUTES.emptyTrash,
  {
    ask: async (world) => {
      await newTrashed(world);
      return { path: PATH };
    },
    hidden: (world) => projectPairs(world, (name) => ({ path: `${PATH}?project=${name}` })),
  },
  WITH_FILES,
);

describe("emptying the trash", () => {
  let world: World;
  before(async () => {
    world = await createWorld(WITH_FILES);
  });
  after(() => world.close());

  test("frees what the token may delete, and nothing else", async () => {
    const token = await world.token();
    const inside = await world.token({ projectId: world.acme.closed.id });
    await newFile(world, { filename: "stays" }, token);
    await newTrashed(world, { filename: "closed" }, inside);
    await newTrashed(world, { filename: "open", project: "open" }, token);
    await newTrashed(world, {}, token);
    await newTrashed(world, {}, await world.token({ tenant: world.rival }));
    const emptied = async (by: string, query = ""): Promise<unknown> =>
      (await world.call("DELETE", PATH + query, { token: by })).json["data"];
    assert.deepEqual(await emptied(token, "?project=open"), { files: 1, bytes: 9 });
    assert.deepEqual(await emptied(token), { files: 1, bytes: 9 });
    assert.deepEqual(await emptied(token), { files: 0, bytes: 0 });
    const usage = await usageOf(world.metadata.read, world.acme.id);
    assert.deepEqual([usage.files, usage.trashed_files], [1, 1]);
    assert.equal((await usageOf(world.metadata.read, world.rival.id)).trashed_files, 1);
    assert.deepEqual(await emptied(inside), { files: 1, bytes: 9 });
  });

  test("of more than one batch leaves nothing", async () => {
    const token = await world.token();
    const [id] = [await newTrashed(world, {}, token)];
    const { metadata } = world;
    await metadata.write(async (tx) => {
      const row = await tx.selectFrom("trashed_file").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
      for (let n = 0; n < 450; n++)
        await tx
          .insertInto("trashed_file")
          .values({ ...row, id: `${id}${n}` })
          .execute();
      await tx.updateTable("blob").set({ refs: 451 }).where("id", "=", row.blob_id).execute();
    });
    const answer = await world.call("DELETE", PATH, { token });
    assert.deepEqual(answer.json["data"], { files: 451, bytes: 451 * 9 });
    const left = await metadata.read
      .selectFrom("trashed_file")
      .select("id")
      .where("org_id", "=", world.acme.id)
      .execute();
    assert.deepEqual(left, []);
  });
});
