import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { FILE_ROUTES } from "@mooring/contract";
import { setFileQuota, usageOf } from "#domain/files/index.ts";
import { SYSTEM } from "#domain/organizations/index.ts";
import { fresh } from "../../organization/testing/requests.ts";
import { assertProblem, testOperation } from "../../organization/testing/suite.ts";
import { createWorld, type World } from "../../organization/testing/world.ts";
import { contentPath, filePairs, filesOf, newFile, WITH_FILES } from "../testing/files.ts";

const path = (id: string): string => `/v1/files/${id}/copy`;
const body = { filename: "copy.txt" };

testOperation(
  FILE_ROUTES.copyFile,
  {
    ask: async (world) => ({ path: path(await newFile(world)), body }),
    hidden: (world) => filePairs(world, (id) => ({ path: path(id), body })),
    problems: {
      storage_quota_exceeded: async (world) => {
        const tenant = await world.tenant(fresh("tenant"));
        await setFileQuota(filesOf(world), SYSTEM, tenant.id, 10);
        const token = await world.token({ tenant });
        return { path: path(await newFile(world, {}, token)), body, token };
      },
    },
  },
  WITH_FILES,
);

describe("copying a file", () => {
  let world: World;
  before(async () => {
    world = await createWorld(WITH_FILES);
  });
  after(() => world.close());

  test("makes the newest version of an older one, and holds the content as long as either is there", async () => {
    const token = await world.token();
    const { clock, objects } = filesOf(world);
    const old = await newFile(world, { filename: "v.txt", project: "open" }, token, "x".repeat(99_998));
    await newFile(world, { filename: "v.txt", project: "open" }, token, "new");
    const answer = await world.call("POST", path(old), { token, body: {} });
    assert.equal(answer.status, 201, answer.text);
    const copy = answer.json["data"] as Record<string, unknown>;
    assert.deepEqual(
      [copy["filename"], copy["size_bytes"], copy["project_id"]],
      ["v.txt", 100_000, world.acme.open.id],
    );
    const versions = await world.call("GET", `/v1/files/${old}/versions`, { token });
    const { files, total } = versions.json["data"] as { files: { id: string }[]; total: number };
    assert.deepEqual([total, files[0]?.id, files[2]?.id], [3, copy["id"], old]);
    assert.equal((await usageOf(world.metadata.read, world.acme.id)).bytes, 200_005);
    for (const gone of [old, String(copy["id"])]) {
      const grant = await world.call("GET", `/v1/files/${String(copy["id"])}/download`, { token });
      const { download_url: url } = grant.json["data"] as { download_url: string };
      assert.equal((await world.call("GET", contentPath(url), {})).text.length, 100_000);
      assert.equal((await world.call("DELETE", `/v1/files/${gone}?permanent=true`, { token })).status, 204);
      clock.advance(2000);
      assert.equal((await objects.collect()).bytes, gone === old ? 0 : 100_000);
    }
    const audit = await world.call("GET", "/v1/audit?action=file.copy", { token });
    const [entry] = audit.json["items"] as { detail: Record<string, unknown> }[];
    assert.equal(entry?.detail["from"], old);
  });

  test("needs the right to read, and a name that can be one", async () => {
    const token = await world.token();
    const id = await newFile(world, {}, token);
    const writing = await world.token({ scopes: ["files:write"] });
    assertProblem(await world.call("POST", path(id), { token: writing, body: {} }), "insufficient_scope");
    for (const filename of ["", "a\nb", "é".repeat(128), "\ud83d"])
      assertProblem(await world.call("POST", path(id), { token, body: { filename } }), "invalid_body");
  });
});
