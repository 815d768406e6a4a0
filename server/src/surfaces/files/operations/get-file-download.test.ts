import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { FILE_ROUTES } from "@mooring/contract";
import { assertProblem, testOperation } from "../../organization/testing/suite.ts";
import { createWorld, type World } from "../../organization/testing/world.ts";
import { contentPath, filePairs, filesOf, newFile, WITH_FILES } from "../testing/files.ts";

const path = (id: string): string => `/v1/files/${id}/download`;

testOperation(
  FILE_ROUTES.getFileDownload,
  {
    ask: async (world) => ({ path: path(await newFile(world)) }),
    hidden: (world) => filePairs(world, (id) => ({ path: path(id) })),
  },
  WITH_FILES,
);

describe("a link whose lifetime is chosen", () => {
  let world: World;
  before(async () => {
    world = await createWorld(WITH_FILES);
  });
  after(() => world.close());

  test("works so long without a token, and no longer", async () => {
    const token = await world.token();
    const { clock } = filesOf(world);
    const link = async (query: string): Promise<{ download_url: string; expires_in: number }> => {
      const answer = await world.call("GET", path(id) + query, { token });
      assert.equal(answer.status, 200, answer.text);
      return answer.json["data"] as { download_url: string; expires_in: number };
    };
    const id = await newFile(world, {}, token);
    assert.equal((await link("")).expires_in, 900);
    for (const seconds of [60, 604_800]) {
      const { download_url: url, expires_in } = await link(`?expires_in=${seconds}`);
      assert.equal(expires_in, seconds);
      clock.advance((seconds - 5) * 1000);
      assert.equal((await world.call("GET", contentPath(url), {})).status, 200);
      clock.advance(7000);
      assertProblem(await world.call("GET", contentPath(url), {}), "presigned_url_expired");
    }
  });

  test("is refused outside of its bounds", async () => {
    const token = await world.token();
    const id = await newFile(world, {}, token);
    for (const seconds of ["59", "604801", "0", "-60", "1.5e9", "90.5", "x"])
      assertProblem(await world.call("GET", `${path(id)}?expires_in=${seconds}`, { token }), "invalid_parameter");
  });
});
