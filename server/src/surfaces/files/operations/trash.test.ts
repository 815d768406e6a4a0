import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { usageOf } from "#domain/quotas/index.ts";
import { FILE_ROUTES } from "@mooring/contract";
import { purgeDue } from "#domain/files/index.ts";
import { createProject, deleteProject, SYSTEM } from "#domain/organizations/index.ts";
import { boundToken, projectPairs } from "../../organization/testing/requests.ts";
import { assertProblem, testOperation } from "../../organization/testing/suite.ts";
import { createWorld, type World } from "../../organization/testing/world.ts";
import { contentPath, filesOf, newFile, newTrashed, NO_TRASH, trashedPairs, WITH_FILES } from "../testing/files.ts";

const DAY_MS = 86_400_000;

testOperation(
  FILE_ROUTES.listTrash,
  {
    ask: async (world) => {
      await newTrashed(world);
      return { path: "/v1/files/trash?limit=10&offset=0" };
    },
    hidden: (world) => projectPairs(world, (name) => ({ path: `/v1/files/trash?project=${name}` })),
  },
  WITH_FILES,
);

describe("the trash", () => {
  let world: World;
  before(async () => {
    world = await createWorld(WITH_FILES);
  });
  after(() => world.close());

  interface Trash {
    readonly files: Record<string, unknown>[];
    readonly total: number;
    readonly bytes: number;
  }

  const trash = async (token: string, query = ""): Promise<Trash> =>
    (await world.call("GET", `/v1/files/trash${query}`, { token })).json["data"] as Trash;
  const names = async (token: string, query = ""): Promise<unknown[]> =>
    (await trash(token, query)).files.map((file) => file["filename"]);

  test("has the files that the token reaches, last deleted first, with the actor of the deletion and the end of the storage", async () => {
    const { id: deleter, token } = await world.credential();
    const inside = await world.token({ projectId: world.acme.closed.id });
    await newTrashed(world, { filename: "theirs" }, await world.token({ tenant: world.rival }));
    await newTrashed(world, { filename: "closed" }, inside);
    for (const filename of ["one", "two"]) await newTrashed(world, { filename }, token);
    await newTrashed(world, { filename: "open", project: "open" }, token);
    assert.deepEqual(await names(token), ["open", "two", "one"]);
    assert.deepEqual(await names(token, "?limit=1&offset=1"), ["two"]);
    assert.deepEqual(await names(token, "?offset=9"), []);
    assert.deepEqual(await names(token, "?project=open"), ["open"]);
    assert.deepEqual(await names(await boundToken(world)), ["open"]);
    assert.deepEqual(await names(inside), ["closed"]);
    assert.deepEqual(await names(await world.token({ tenant: world.rival })), ["theirs"]);
    const { files, total, bytes } = await trash(token);
    assert.deepEqual([total, bytes], [3, 27]);
    assert.equal(files[0]?.["deleted_by"], deleter);
    const keptMs = Date.parse(String(files[0]?.["purge_at"])) - Date.parse(String(files[0]?.["deleted_at"]));
    assert.equal(keptMs, 7 * 86_400_000);
  });
});

describe("restoreFile", () => {
  const path = (id: string): string => `/v1/files/${id}/restore`;

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

    test("restores the file unchanged, with its content, and is in the audit log", async () => {
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
      assert.deepEqual(await usageOf(world.metadata.read, "files", { org_id: world.acme.id }), {
        files: 1,
        bytes: 100,
        grants: 0,
        reserved: 0,
        ...NO_TRASH,
      });
      const again = await world.call("POST", path(id), { token });
      assert.deepEqual([again.status, again.json], [200, answer.json], "a second restore changes nothing");
      const audit = await world.call("GET", "/v1/audit?action=file.restore", { token });
      const entries = audit.json["items"] as { target: object }[];
      assert.deepEqual(
        entries.map((entry) => entry.target),
        [{ kind: "file", id }],
      );
    });

    test("is impossible after the file's days, even before the job has removed it", async () => {
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

    test("a repeated grant does not get the ID of a file in the trash", async () => {
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
});

describe("purgeFile", () => {
  const path = (id: string): string => `/v1/files/trash/${id}`;

  const NOTHING = { files: 0, bytes: 0, grants: 0, reserved: 0, ...NO_TRASH };

  testOperation(
    FILE_ROUTES.purgeFile,
    {
      ask: async (world) => ({ path: path(await newTrashed(world)) }),
      hidden: (world) => trashedPairs(world, (id) => ({ path: path(id) })),
    },
    WITH_FILES,
  );

  describe("the removal of files from the trash", () => {
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

    /** Returns the bytes of content without references that the collector may delete. */
    const collected = async (): Promise<number> => {
      const { clock, objects } = filesOf(world);
      clock.advance(2000);
      return (await objects.collect()).bytes;
    };

    test("by a request frees the content and its bytes at once", async () => {
      const token = await world.token();
      const id = await newTrashed(world, {}, token);
      assert.equal(await collected(), 0, "the trash keeps its content");
      assert.equal((await world.call("DELETE", path(id), { token })).status, 204);
      assertProblem(await world.call("DELETE", path(id), { token }), "not_found");
      assertProblem(await world.call("POST", `/v1/files/${id}/restore`, { token }), "not_found");
      assert.deepEqual(await usageOf(world.metadata.read, "files", { org_id: world.acme.id }), NOTHING);
      assert.equal(await collected(), 9);
      assert.deepEqual(await actions(token), [["credential", id]]);
    });

    test("happens automatically after its days, and not before", async () => {
      const token = await world.token();
      const { clock } = filesOf(world);
      const id = await newTrashed(world, {}, token);
      clock.advance(7 * DAY_MS - 60_000);
      assert.equal(await purgeDue(filesOf(world)), 0);
      assert.equal((await usageOf(world.metadata.read, "files", { org_id: world.acme.id })).trashed_files, 1);
      clock.advance(60_000);
      await world.suspend("blocked");
      assert.equal(await purgeDue(filesOf(world)), 0, "the data of a blocked organization stays");
      await world.suspend("read_only");
      const both = await Promise.all([purgeDue(filesOf(world)), purgeDue(filesOf(world))]);
      await world.suspend("active");
      assert.equal(both[0] + both[1], 1, "two servers remove it once, also of a read-only organization");
      assert.deepEqual(await usageOf(world.metadata.read, "files", { org_id: world.acme.id }), NOTHING);
      assert.equal(await collected(), 9);
      assert.deepEqual((await actions(await world.token()))[0], ["system", id]);
    });

    test("comes at its own time, also when its project is in the trash, which hides it", async () => {
      const token = await world.token();
      const deps = { metadata: world.metadata, clock: filesOf(world).clock };
      const project = await createProject(deps, SYSTEM, world.acme.id, { slug: "short-lived" });
      const id = await newTrashed(world, { project: project.id }, token);
      await deleteProject({ ...deps, trash: { days: 7 } }, SYSTEM, { id: project.id, org_id: world.acme.id });
      assertProblem(await world.call("POST", `/v1/files/${id}/restore`, { token }), "not_found");
      const trash = await world.call("GET", "/v1/files/trash", { token });
      assert.equal((trash.json["data"] as { total: number }).total, 0);
      assert.equal((await usageOf(world.metadata.read, "files", { org_id: world.acme.id })).trashed_bytes, 9);
      assert.equal(await purgeDue(filesOf(world)), 0);
      filesOf(world).clock.advance(7 * DAY_MS);
      assert.equal(await purgeDue(filesOf(world)), 1);
      assert.deepEqual(await usageOf(world.metadata.read, "files", { org_id: world.acme.id }), NOTHING);
      assert.equal(await collected(), 9);
    });
  });
});

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

  test("removes the files that the token may delete, and no others", async () => {
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
    const usage = await usageOf(world.metadata.read, "files", { org_id: world.acme.id });
    assert.deepEqual([usage.files, usage.trashed_files], [1, 1]);
    assert.equal((await usageOf(world.metadata.read, "files", { org_id: world.rival.id })).trashed_files, 1);
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
