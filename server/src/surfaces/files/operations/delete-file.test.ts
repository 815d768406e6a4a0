import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { FILE_ROUTES } from "@mooring/contract";
import { usageOf } from "#domain/files/index.ts";
import { assertProblem, testOperation } from "../../organization/testing/suite.ts";
import { createWorld, type World } from "../../organization/testing/world.ts";
import {
  contentPath,
  filePairs,
  filesOf,
  newFile,
  newGrant,
  NO_TRASH,
  putContent,
  WITH_FILES,
} from "../testing/files.ts";

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

  test("for good lets go of its content and its bytes, and is in the audit log", async () => {
    const token = await world.token();
    const id = await newFile(world, { filename: "geheim.txt" }, token, "x".repeat(100_000));
    const { objects, clock } = filesOf(world);
    const { blob_id } = await world.metadata.read
      .selectFrom("file")
      .select("blob_id")
      .where("id", "=", id)
      .executeTakeFirstOrThrow();
    assert.equal((await world.call("DELETE", `${path(id)}?permanent=true`, { token })).status, 204);
    assertProblem(await world.call("DELETE", path(id), { token }), "not_found");
    clock.advance(2000);
    assert.equal((await objects.collect()).blobs, 1);
    await assert.rejects(objects.open(world.acme.id, blob_id), { code: "not_found" });
    assert.deepEqual(await usageOf(world.metadata.read, world.acme.id), {
      files: 0,
      bytes: 0,
      grants: 0,
      reserved: 0,
      ...NO_TRASH,
    });
    const audit = await world.call("GET", "/v1/audit?action=file.delete", { token });
    const [entry] = audit.json["items"] as { target: object; detail: Record<string, unknown> }[];
    assert.deepEqual(entry?.target, { kind: "file", id });
    assert.equal(entry?.detail["filename"], "geheim.txt");
    assert.equal(entry?.detail["restorable_until"], null);
    const trash = await world.call("GET", "/v1/files/trash", { token });
    assert.equal((trash.json["data"] as { total: number }).total, 0);
  });

  test("into the trash ends it and its URLs everywhere, and keeps what it holds", async () => {
    const token = await world.token();
    const id = await newFile(world, { filename: "kept.txt" }, token, "x".repeat(98));
    const grant = await world.call("GET", `${path(id)}/download`, { token });
    const { download_url: url } = grant.json["data"] as { download_url: string };
    assert.equal((await world.call("DELETE", path(id), { token })).status, 204);
    for (const answer of [
      await world.call("DELETE", path(id), { token }),
      await world.call("DELETE", `${path(id)}?permanent=true`, { token }),
      await world.call("GET", `${path(id)}/download`, { token }),
      await world.call("GET", `${path(id)}/versions`, { token }),
      await world.call("POST", `${path(id)}/copy`, { token, body: {} }),
      await world.call("GET", contentPath(url), {}),
    ])
      assertProblem(answer, "not_found");
    const list = await world.call("GET", "/v1/files?prefix=kept", { token });
    assert.deepEqual(list.json["data"], { files: [], total: 0 });
    assert.deepEqual(await usageOf(world.metadata.read, world.acme.id), {
      files: 0,
      bytes: 0,
      grants: 0,
      reserved: 0,
      trashed_files: 1,
      trashed_bytes: 100,
    });
    const audit = await world.call("GET", "/v1/audit?action=file.delete&limit=1", { token });
    const [entry] = audit.json["items"] as { detail: Record<string, unknown> }[];
    assert.match(String(entry?.detail["restorable_until"]), /^\d{4}-/);
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
