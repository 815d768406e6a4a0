import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setStoredQuota, usageOf } from "#domain/quotas/index.ts";
import { NO_LIMIT } from "#kernel/no-limit.ts";
import { FILE_ROUTES } from "@mooring/contract";
import { cleanUp } from "#domain/files/index.ts";
import { fresh, projectPairs } from "../../organization/testing/requests.ts";
import { assertProblem, testOperation, type Ask } from "../../organization/testing/suite.ts";
import { createWorld, type World } from "../../organization/testing/world.ts";
import { ask, filesOf, newFile, newGrant, NO_TRASH, putContent, withFiles, type Grant } from "../testing/files.ts";

const PATH = "/v1/upload";
const FILE = { filename: "a.txt", content_type: "text/plain" };
const LIMITED = withFiles({ sizeBytesMax: 1000 });

/** Returns a token of a new organization, as its first member. */
async function tenantWithQuota(world: World, bytes: number | null): Promise<{ id: string; token: string }> {
  const tenant = await world.tenant(fresh("tenant"));
  await setStoredQuota(filesOf(world), "files", tenant.id, bytes);
  return { id: tenant.id, token: await world.token({ tenant }) };
}

testOperation(
  FILE_ROUTES.createUpload,
  {
    ask: () => ({ path: PATH, body: FILE }),
    hidden: (world) => projectPairs(world, (project) => ({ path: PATH, body: { ...FILE, project } })),
    problems: {
      body_too_large: async () => ({ path: PATH, body: { ...FILE, size_bytes: 1001 } }),
      storage_quota_exceeded: async (world): Promise<Ask> => {
        const { token } = await tenantWithQuota(world, 10);
        return { path: PATH, body: { ...FILE, size_bytes: 11 }, token };
      },
      quota_exceeded: async (world): Promise<Ask> => {
        const { id, token } = await tenantWithQuota(world, null);
        await newGrant(world, {}, token);
        await world.metadata.write(async (tx) => {
          await tx.updateTable("file_usage").set({ grants: 20_000 }).where("org_id", "=", id).execute();
        });
        return { path: PATH, body: FILE, token };
      },
    },
  },
  LIMITED,
);

describe("a grant to upload", () => {
  let world: World;
  before(async () => {
    world = await createWorld(LIMITED);
  });
  after(() => world.close());

  test("is refused with a pointer if the name or the type is invalid", async () => {
    const token = await world.token();
    const wrong: [Record<string, unknown>, string[]][] = [
      [{ filename: "" }, ["/filename"]],
      [{ filename: "a".repeat(256) }, ["/filename"]],
      [{ filename: "é".repeat(128) }, ["/filename"]],
      [{ filename: "a\nb" }, ["/filename"]],
      [{ filename: "a\u0000b" }, ["/filename"]],
      [{ filename: "\ud83d" }, ["/filename"]],
      [{ filename: 1 }, ["/filename"]],
      [{ content_type: "text" }, ["/content_type"]],
      [{ content_type: "text/plain\r\nx: y" }, ["/content_type"]],
      [{ content_type: "text/plain; charset" }, ["/content_type"]],
      [{ content_type: "tëxt/plain" }, ["/content_type"]],
      [{ filename: "\ud83d", content_type: "text" }, ["/filename", "/content_type"]],
      [{ size_bytes: -1 }, ["/size_bytes"]],
      [{ size_bytes: 1.5 }, ["/size_bytes"]],
      [{ sha256: "x" }, ["/sha256"]],
    ];
    for (const [body, pointers] of wrong) {
      const answer = await ask(world, body, token);
      assertProblem(answer, "invalid_body");
      const errors = answer.json["errors"] as { pointer: string }[];
      assert.deepEqual(
        errors.map((place) => place.pointer),
        pointers,
        JSON.stringify(body),
      );
    }
  });

  test("accepts names of 255 bytes in any script, and types with parameters", async () => {
    const token = await world.token();
    for (const filename of ["é".repeat(127) + "a", "../../etc/passwd", "C:\\x", "..", "数据.csv", "\u202egnp.exe"])
      assert.equal((await ask(world, { filename }, token)).status, 200, filename);
    for (const content_type of ['text/plain; charset="utf-8"', "application/vnd.api+json;v=1", "text/plain;"])
      assert.equal((await ask(world, { content_type }, token)).status, 200, content_type);
  });

  test("reserves its announced bytes, settles them with the content, and frees them when it expires", async () => {
    const { id, token } = await tenantWithQuota(world, 100);
    const { clock } = filesOf(world);
    const usage = () => usageOf(world.metadata.read, "files", { org_id: id });
    const first = await newGrant(world, { size_bytes: 60 }, token);
    assert.deepEqual(await usage(), { files: 0, bytes: 0, grants: 1, reserved: 60, ...NO_TRASH });
    assertProblem(await ask(world, { size_bytes: 41 }, token), "storage_quota_exceeded");
    const second = await newGrant(world, { size_bytes: 40 }, token);
    assertProblem(await ask(world, {}, token), "storage_quota_exceeded");
    assert.equal((await ask(world, { size_bytes: 0 }, token)).status, 200, "empty content needs no quota");
    assert.equal((await putContent(world, first.upload_url, "x".repeat(58))).status, 200);
    assert.deepEqual(await usage(), { files: 1, bytes: 60, grants: 2, reserved: 40, ...NO_TRASH });
    assert.equal(await cleanUp(filesOf(world)), 0, "nothing has expired yet");
    clock.advance(900_000 + 700_000);
    assert.ok((await cleanUp(filesOf(world))) >= 2);
    assert.deepEqual(await usage(), { files: 1, bytes: 60, grants: 0, reserved: 0, ...NO_TRASH });
    assertProblem(await putContent(world, second.upload_url, "x".repeat(38)), "presigned_url_expired");
    clock.advance(-900_000 - 700_000);
  });

  test("without a size counts against the quota while content arrives and at its end", async () => {
    const { id, token } = await tenantWithQuota(world, 50);
    const grants = [await newGrant(world, {}, token), await newGrant(world, {}, token)] as const;
    assertProblem(await putContent(world, grants[0].upload_url, "x".repeat(60)), "storage_quota_exceeded");
    assert.equal((await putContent(world, grants[0].upload_url, "x".repeat(38))).status, 200);
    assertProblem(await putContent(world, grants[1].upload_url, "x".repeat(38)), "storage_quota_exceeded");
    assert.deepEqual(await usageOf(world.metadata.read, "files", { org_id: id }), {
      files: 1,
      bytes: 40,
      grants: 1,
      reserved: 0,
      ...NO_TRASH,
    });
    await setStoredQuota(filesOf(world), "files", id, NO_LIMIT);
    assert.equal((await putContent(world, grants[1].upload_url, "x".repeat(38))).status, 200);
  });

  test("of a project's credential belongs to that project", async () => {
    const token = await world.token({ projectId: world.acme.closed.id });
    const id = await newFile(world, {}, token);
    const list = await world.call("GET", "/v1/files", { token });
    const { files } = list.json["data"] as { files: { id: string; project_id: string }[] };
    assert.deepEqual(
      files.map((file) => [file.id, file.project_id]),
      [[id, world.acme.closed.id]],
    );
  });

  test("repeated with an Idempotency-Key has a valid URL for the same file", async () => {
    const { id, token } = await tenantWithQuota(world, null);
    const { clock } = filesOf(world);
    const again = async (): Promise<Grant> => {
      const headers = { "idempotency-key": `key-of-${id}` };
      const answer = await world.call("POST", PATH, { token, headers, body: { ...FILE, size_bytes: 5 } });
      assert.equal(answer.status, 200, answer.text);
      return answer.json["data"] as Grant;
    };
    const first = await again();
    clock.advance(800_000);
    const second = await again();
    assert.equal(second.file_id, first.file_id);
    clock.advance(800_000);
    assert.equal(await cleanUp(filesOf(world)), 0, "the grant is valid as long as its last URL");
    clock.advance(900_000);
    assert.ok((await cleanUp(filesOf(world))) > 0);
    const third = await again();
    assert.equal(third.file_id, first.file_id);
    assert.deepEqual(await usageOf(world.metadata.read, "files", { org_id: id }), {
      files: 0,
      bytes: 0,
      grants: 1,
      reserved: 5,
      ...NO_TRASH,
    });
    assertProblem(await putContent(world, second.upload_url, "abc"), "presigned_url_expired");
    assert.equal((await putContent(world, third.upload_url, "abc")).status, 200);
    assertProblem(await putContent(world, (await again()).upload_url, "abc"), "conflict");
    assert.deepEqual(await usageOf(world.metadata.read, "files", { org_id: id }), {
      files: 1,
      bytes: 5,
      grants: 0,
      reserved: 0,
      ...NO_TRASH,
    });
    clock.advance(-2_500_000);
  });
});
