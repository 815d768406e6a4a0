import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { FILE_ROUTES } from "@mooring/contract";
import { createProject, deleteProject, SYSTEM } from "#domain/organizations/index.ts";
import { purgeDue, usageOf } from "#domain/files/index.ts";
import { assertProblem, testOperation } from "../../organization/testing/suite.ts";
import { createWorld, type World } from "../../organization/testing/world.ts";
import { filesOf, newTrashed, NO_TRASH, trashedPairs, WITH_FILES } from "../testing/files.ts";

const path = (id: string): string => `/v1/files/trash/${id}`;
const DAY_MS = 86_400_000;
const NOTHING = { files: 0, bytes: 0, grants: 0, reserved: 0, ...NO_TRASH };

testOperation(
  FILE_ROUTES.purgeFile,
  {
    ask: async (world) => ({ path: path(await newTrashed(world)) }),
    hidden: (world) => trashedPairs(world, (id) => ({ path: path(id) })),
  },
  WITH_FILES,
);

describe("the end of what is in the trash", () => {
  let world: World;
  before(async () => {
    world = await createWorld(WITH_FILES);
  });
  after(() => world.close());

  const actions = async (token: string): Promise<unknown[]> => {
    const audit = await world.call("GET", "/v1/audit?action=file.purge", { token });
    return (audit.json["items"] as { actor: { kind: string }; target: { id: string } }[]).map(({ actor, target }) => [
      actor.kind,
      target.id,
    ]);
  };

  /** Content that nothing holds any more, in bytes, once the collector may take it. */
  const collected = async (): Promise<number> => {
    const { clock, objects } = filesOf(world);
    clock.advance(2000);
    return (await objects.collect()).bytes;
  };

  test("by hand frees its content and its bytes at once", async () => {
    const token = await world.token();
    const id = await newTrashed(world, {}, token);
    assert.equal(await collected(), 0, "the trash holds its content");
    assert.equal((await world.call("DELETE", path(id), { token })).status, 204);
    assertProblem(await world.call("DELETE", path(id), { token }), "not_found");
    assertProblem(await world.call("POST", `/v1/files/${id}/restore`, { token }), "not_found");
    assert.deepEqual(await usageOf(world.metadata.read, world.acme.id), NOTHING);
    assert.equal(await collected(), 9);
    assert.deepEqual(await actions(token), [["credential", id]]);
  });

  test("comes by itself after its days, and not before", async () => {
    const token = await world.token();
    const { clock } = filesOf(world);
    const id = await newTrashed(world, {}, token);
    clock.advance(7 * DAY_MS - 60_000);
    assert.equal(await purgeDue(filesOf(world)), 0);
    assert.equal((await usageOf(world.metadata.read, world.acme.id)).trashed_files, 1);
    clock.advance(60_000);
    const both = await Promise.all([purgeDue(filesOf(world)), purgeDue(filesOf(world))]);
    assert.equal(both[0] + both[1], 1, "two servers remove it once");
    assert.deepEqual(await usageOf(world.metadata.read, world.acme.id), NOTHING);
    assert.equal(await collected(), 9);
    assert.deepEqual((await actions(await world.token()))[0], ["system", id]);
  });

  test("comes with its project's, which no trash keeps from being deleted", async () => {
    const token = await world.token();
    const deps = { metadata: world.metadata, clock: filesOf(world).clock };
    const project = await createProject(deps, SYSTEM, world.acme.id, { slug: "short-lived" });
    const id = await newTrashed(world, { project: project.id }, token);
    await deleteProject(deps, SYSTEM, { id: project.id, org_id: world.acme.id });
    assertProblem(await world.call("POST", `/v1/files/${id}/restore`, { token }), "not_found");
    const trash = await world.call("GET", "/v1/files/trash", { token });
    assert.equal((trash.json["data"] as { total: number }).total, 0);
    assert.equal((await usageOf(world.metadata.read, world.acme.id)).trashed_bytes, 9);
    assert.equal(await purgeDue(filesOf(world)), 1);
    assert.deepEqual(await usageOf(world.metadata.read, world.acme.id), NOTHING);
    assert.equal(await collected(), 9);
  });
});
