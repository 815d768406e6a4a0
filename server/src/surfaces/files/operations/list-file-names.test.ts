import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { FILE_ROUTES } from "@mooring/contract";
import { boundToken, projectPairs } from "../../organization/testing/requests.ts";
import { assertProblem, testOperation } from "../../organization/testing/suite.ts";
import { createWorld, type World } from "../../organization/testing/world.ts";
import { newFile, newTrashed, WITH_FILES } from "../testing/files.ts";

const PATH = "/v1/files/names";

testOperation(
  FILE_ROUTES.listFileNames,
  {
    ask: async (world) => {
      await newFile(world);
      return { path: `${PATH}?limit=10` };
    },
    hidden: (world) => projectPairs(world, (name) => ({ path: `${PATH}?project=${name}` })),
  },
  WITH_FILES,
);

describe("the names of files", () => {
  let world: World;
  const newest = new Map<string, string>();
  before(async () => {
    world = await createWorld(WITH_FILES);
    const inside = await world.token({ projectId: world.acme.closed.id });
    await newFile(world, { filename: "theirs" }, await world.token({ tenant: world.rival }));
    await newFile(world, { filename: "b" }, inside);
    for (const filename of ["b", "é", "a", "b", "b", "c"]) newest.set(filename, await newFile(world, { filename }));
    for (const filename of ["b", "b"]) newest.set("b open", await newFile(world, { filename, project: "open" }));
    await newTrashed(world, { filename: "a" });
  });
  after(() => world.close());

  interface Named {
    readonly id: string;
    readonly filename: string;
    readonly project_id: string | null;
    readonly versions: number;
  }

  async function names(token: string, query = "", limit = 100): Promise<Named[]> {
    const found: Named[] = [];
    for (let cursor: string | null = ""; cursor !== null;) {
      const after: string = cursor === "" ? "" : `&cursor=${cursor}`;
      const page = await world.call("GET", `${PATH}?limit=${limit}${after}${query}`, { token });
      assert.equal(page.status, 200, page.text);
      const data = page.json["data"] as { files: Named[]; next_cursor: string | null };
      assert.ok(data.files.length === limit || data.next_cursor === null);
      found.push(...data.files);
      cursor = data.next_cursor;
    }
    return found;
  }

  const shown = (files: Named[]): string[] => files.map(({ filename, versions }) => `${filename} ${versions}`);

  test("come once for each place, in order, with the newest file, in pages of any size", async () => {
    const token = await world.token();
    for (const limit of [1, 2, 3, 4, 5, 100])
      assert.deepEqual(shown(await names(token, "", limit)), ["a 1", "b 3", "b 2", "c 1", "é 1"], `${limit} a page`);
    const all = await names(token);
    assert.deepEqual(
      all.map(({ id }) => id),
      ["a", "b", "b open", "c", "é"].map((name) => newest.get(name)),
    );
  });

  test("are those that the token reaches, and that begin with a prefix", async () => {
    const token = await world.token();
    assert.deepEqual(shown(await names(token, "&prefix=b")), ["b 3", "b 2"]);
    assert.deepEqual(shown(await names(token, "&project=open")), ["b 2"]);
    assert.deepEqual(shown(await names(await boundToken(world))), ["b 2"]);
    assert.deepEqual(shown(await names(await world.token({ projectId: world.acme.closed.id }))), ["b 1"]);
    assert.deepEqual(shown(await names(await world.token({ tenant: world.rival }))), ["theirs 1"]);
    assertProblem(await world.call("GET", `${PATH}?cursor=nonsense`, { token }), "invalid_parameter");
  });
});
