import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setStoredQuota, storedQuotaOf } from "#domain/quotas/index.ts";
import { FILE_ROUTES } from "@mooring/contract";
import { purgeDue } from "#domain/files/index.ts";
import { boundToken } from "../../organization/testing/requests.ts";
import { assertProblem, testOperation } from "../../organization/testing/suite.ts";
import { createWorld, type World } from "../../organization/testing/world.ts";
import { filesOf, newFile, newTrashed, WITH_FILES } from "../testing/files.ts";

testOperation(FILE_ROUTES.getFileSettings, { ask: () => ({ path: "/v1/files/settings" }) }, WITH_FILES);

const PATH = "/v1/files/settings";
const body = { trash_days: 30 };
const DAY_MS = 86_400_000;

testOperation(
  FILE_ROUTES.updateFileSettings,
  {
    ask: () => ({ path: PATH, body }),
    problems: { forbidden: async (world) => ({ path: PATH, body, token: await boundToken(world) }) },
  },
  WITH_FILES,
);

describe("the setting for the days in the trash", () => {
  let world: World;
  before(async () => {
    world = await createWorld(WITH_FILES);
  });
  after(() => world.close());

  const change = async (token: string, trash_days: unknown): Promise<unknown> =>
    (await world.call("PATCH", PATH, { token, body: { trash_days } })).json["data"];

  test("applies to files in the trash, and keeps the operator's quota", async () => {
    const token = await world.token();
    await setStoredQuota(filesOf(world), "files", world.acme.id, 5000);
    const id = await newTrashed(world, {}, token);
    const trash = async (): Promise<number> => {
      const answer = await world.call("GET", "/v1/files/trash", { token });
      const { files } = answer.json["data"] as { files: { deleted_at: string; purge_at: string }[] };
      const [file] = files;
      return file === undefined ? 0 : (Date.parse(file.purge_at) - Date.parse(file.deleted_at)) / DAY_MS;
    };
    assert.equal(await trash(), 7);
    assert.deepEqual(await change(token, 90), { trash_days: 90, effective_trash_days: 90 });
    assert.equal(await trash(), 90);
    assert.deepEqual(await change(token, null), { trash_days: null, effective_trash_days: 7 });
    assert.equal(await trash(), 7);
    await setStoredQuota(filesOf(world), "files", world.acme.id, 6000);
    assert.equal(await storedQuotaOf(world.metadata.read, "files", world.acme.id), 6000);
    assert.deepEqual(await change(token, 0), { trash_days: 0, effective_trash_days: 0 });
    assert.equal(await storedQuotaOf(world.metadata.read, "files", world.acme.id), 6000);
    assert.equal(await trash(), 0);
    assertProblem(await world.call("POST", `/v1/files/${id}/restore`, { token }), "not_found");
    assert.equal(await purgeDue(filesOf(world)), 1);
    const other = await world.call("GET", PATH, { token: await world.token({ tenant: world.rival }) });
    assert.deepEqual(other.json["data"], { trash_days: null, effective_trash_days: 7 });
    const audit = await world.call("GET", "/v1/audit?action=file.settings.update&limit=1", { token });
    const [entry] = audit.json["items"] as { detail: unknown }[];
    assert.deepEqual(entry?.detail, { before: { trash_days: null }, after: { trash_days: 0 } });
  });

  test("with 0 days, deletes files for good", async () => {
    const token = await world.token();
    await change(token, 0);
    const id = await newFile(world, {}, token);
    assert.equal((await world.call("DELETE", `/v1/files/${id}`, { token })).status, 204);
    assertProblem(await world.call("POST", `/v1/files/${id}/restore`, { token }), "not_found");
    await change(token, null);
  });

  test("is 0 to 90 days", async () => {
    const token = await world.token();
    for (const days of [-1, 91, 1.5, "7"])
      assertProblem(await world.call("PATCH", PATH, { token, body: { trash_days: days } }), "invalid_body");
  });
});
