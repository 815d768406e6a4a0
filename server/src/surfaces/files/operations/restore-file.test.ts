import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { FILE_ROUTES } from "@mooring/contract";
import { usageOf } from "#domain/files/index.ts";
import { assertProblem, testOperation } from "../../organization/testing/suite.ts";
import { createWorld, type World } from "../../organization/testing/world.ts";
import { contentPath, filesOf, newFile, newTrashed, NO_TRASH, trashedPairs, WITH_FILES } from "../testing/files.ts";

const path = (id: string): string => `/v1/files/${id}/restore`;
const DAY_MS = 86_400_000;

testOperation(
  FILE_ROUTES.restoreFile,
  {
    ask: async (world) => ({ path: path(await newTrashed(world)) }),
    hidden: (world) => trashedPairs(world, (id) => ({ path: path(id) })),
  },
  WITH_FILES,
);

describe("restoring a file", () => {
  let world: World;
  before(async () => {
    world = await createWorld(WITH_FILES);
  });
  after(() => world.close());

  test("brings it back as it was, with its content, and is in the audit log", async () => {
    const token = await world.token();
    const id = await newFile(world, { filename: "back.txt", project: "open" }, token, "x".repeat(98));
    const list = async (): Promise<unknown> => (await world.call("GET", "/v1/files", { token })).json["data"];
    const before = await list();
    const grant = await world.call("GET", `/v1/files/${id}/download`, { token });
    assert.equal((await world.call("DELETE", `/v1/files/${id}`, { token })).status, 204);
    assert.deepEqual(await list(), { files: [], total: 0 });
    const answer = await world.call("POST", path(id), { token });
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(await list(), before);
    assert.deepEqual([answer.json["data"]], (before as { files: unknown[] }).files);
    const { download_url: url } = grant.json["data"] as { download_url: string };
    assert.equal((await world.call("GET", contentPath(url), {})).text, JSON.stringify("x".repeat(98)));
    assert.deepEqual(await usageOf(world.metadata.read, world.acme.id), {
      files: 1,
      bytes: 100,
      grants: 0,
      reserved: 0,
      ...NO_TRASH,
    });
    const again = await world.call("POST", path(id), { token });
    assert.deepEqual([again.status, again.json], [200, answer.json], "once more changes nothing");
    const audit = await world.call("GET", "/v1/audit?action=file.restore", { token });
    const entries = audit.json["items"] as { target: object }[];
    assert.deepEqual(
      entries.map((entry) => entry.target),
      [{ kind: "file", id }],
    );
  });

  test("is over when its days are, before the job has removed it too", async () => {
    const token = await world.token();
    const id = await newTrashed(world, {}, token);
    const { clock } = filesOf(world);
    clock.advance(7 * DAY_MS + 1000);
    assertProblem(await world.call("POST", path(id), { token }), "not_found");
    assertProblem(await world.call("DELETE", `/v1/files/trash/${id}`, { token }), "not_found");
    const trash = await world.call("GET", "/v1/files/trash", { token });
    assert.deepEqual(trash.json["data"], { files: [], total: 0, bytes: 0, trash_days: 7 });
    clock.advance(-7 * DAY_MS - 1000);
  });

  test("a grant that is asked for once more does not take the id of a file in the trash", async () => {
    const token = await world.token();
    const body = { filename: "again.txt", content_type: "text/plain" };
    const headers = { "idempotency-key": "once-more" };
    const first = await world.call("POST", "/v1/upload", { token, body, headers });
    const { upload_url: url, file_id: id } = first.json["data"] as { upload_url: string; file_id: string };
    const content = { body: "x", headers: { "content-type": "text/plain" } };
    assert.equal((await world.call("PUT", contentPath(url), content)).status, 200);
    assert.equal((await world.call("DELETE", `/v1/files/${id}`, { token })).status, 204);
    const again = await world.call("POST", "/v1/upload", { token, body, headers });
    const { upload_url: second } = again.json["data"] as { upload_url: string };
    assertProblem(await world.call("PUT", contentPath(second), content), "conflict");
    assert.equal((await world.call("POST", path(id), { token })).status, 200);
  });
});
