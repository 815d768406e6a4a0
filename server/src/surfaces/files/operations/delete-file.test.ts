import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { FILE_ROUTES } from "@mooring/contract";
import { usageOf } from "#domain/files/index.ts";
import { assertProblem, testOperation } from "../../organization/testing/suite.ts";
import { createWorld, type World } from "../../organization/testing/world.ts";
import { filePairs, filesOf, newFile, newGrant, putContent, WITH_FILES } from "../testing/files.ts";

const path = (id: string): string => `/v1/files/${id}`;

testOperation(
  FILE_ROUTES.deleteFile,
  {
    ask: async (world) => ({ path: path(await newFile(world)) }),
    hidden: (world) => filePairs(world, (id) => ({ path: path(id) })),
  },
  WITH_FILES,
);

describe("deleting a file", () => {
  let world: World;
  before(async () => {
    world = await createWorld(WITH_FILES);
  });
  after(() => world.close());

  test("lets go of its content and its bytes, and is in the audit log", async () => {
    const token = await world.token();
    const id = await newFile(world, { filename: "geheim.txt" }, token, "x".repeat(100_000));
    const { objects, clock } = filesOf(world);
    const { blob_id } = await world.metadata.read
      .selectFrom("file")
      .select("blob_id")
      .where("id", "=", id)
      .executeTakeFirstOrThrow();
    assert.equal((await world.call("DELETE", path(id), { token })).status, 204);
    assertProblem(await world.call("DELETE", path(id), { token }), "not_found");
    clock.advance(2000);
    assert.equal((await objects.collect()).blobs, 1);
    await assert.rejects(objects.open(world.acme.id, blob_id), { code: "not_found" });
    assert.deepEqual(await usageOf(world.metadata.read, world.acme.id), { files: 0, bytes: 0, grants: 0, reserved: 0 });
    const audit = await world.call("GET", "/v1/audit?action=file.delete", { token });
    const [entry] = audit.json["items"] as { target: object; detail: Record<string, unknown> }[];
    assert.deepEqual(entry?.target, { kind: "file", id });
    assert.equal(entry?.detail["filename"], "geheim.txt");
  });

  test("gives up an upload that has not ended", async () => {
    const token = await world.token();
    const grant = await newGrant(world, { size_bytes: 7 }, token);
    assert.equal((await usageOf(world.metadata.read, world.acme.id)).reserved, 7);
    assert.equal((await world.call("DELETE", path(grant.file_id), { token })).status, 204);
    assert.equal((await usageOf(world.metadata.read, world.acme.id)).reserved, 0);
    assertProblem(await putContent(world, grant.upload_url, "12345"), "conflict");
  });
});
