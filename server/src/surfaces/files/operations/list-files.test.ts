import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { FILE_ROUTES } from "@mooring/contract";
import { FILE_NAMES_COUNTED_MAX } from "#kernel/limits.ts";
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

  test("says that the total of a prefix is a lower bound where more names begin with it than are counted", async () => {
    const { id } = world.acme;
    for (const filename of ["many 00001", "many 99999"]) await newFile(world, { filename });
    const fill = async (names: number): Promise<void> => {
      const rows = Array.from({ length: names }, (_, i) => ({
        org_id: id,
        filename: `many ${String(i + 2).padStart(5, "0")}`,
        place: "",
        files: 3,
      }));
      await world.metadata.write(async (tx) => {
        await tx.deleteFrom("file_name").where("files", "=", 3).execute();
        for (let i = 0; i < rows.length; i += 1000)
          await tx
            .insertInto("file_name")
            .values(rows.slice(i, i + 1000))
            .execute();
      });
    };
    const list = async (query: string): Promise<unknown> => {
      const page = await world.call("GET", `/v1/files?prefix=many&limit=1${query}`, { token: await world.token() });
      const { files, ...more } = page.json["data"] as { files: { filename: string }[] };
      return [files.map(({ filename }) => filename), more];
    };
    await fill(FILE_NAMES_COUNTED_MAX - 2);
    assert.deepEqual(await list(""), [["many 99999"], { total: 2 + 3 * (FILE_NAMES_COUNTED_MAX - 2) }]);
    await fill(FILE_NAMES_COUNTED_MAX - 1);
    const total = 1 + 3 * (FILE_NAMES_COUNTED_MAX - 1) + 1;
    assert.deepEqual(await list(""), [["many 99999"], { total, total_is_lower_bound: true }]);
    assert.deepEqual(await list("&offset=1"), [["many 00001"], { total, total_is_lower_bound: true }]);
    assert.deepEqual(await list(`&offset=${total}`), [[], { total, total_is_lower_bound: true }]);
  });
});
