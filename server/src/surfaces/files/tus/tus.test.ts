import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { usageOf } from "#domain/quotas/index.ts";
import { cleanUp } from "#domain/files/index.ts";
import { createWorld, type Answer, type World } from "../../organization/testing/world.ts";
import { contentPath, filesOf, NO_TRASH, WITH_FILES } from "../testing/files.ts";

const TUS = { "tus-resumable": "1.0.0" };

describe("a resumable upload", () => {
  let world: World;
  let token: string;
  before(async () => {
    world = await createWorld(WITH_FILES);
    token = await world.token();
  });
  after(() => world.close());

  async function created(length: number): Promise<string> {
    const fields = { "upload-length": String(length), "upload-metadata": "filename YS50eHQ=" };
    const answer = await world.call("POST", "/v1/uploads", { token, headers: { ...TUS, ...fields } });
    assert.equal(answer.status, 201, answer.text);
    return contentPath(answer.headers.get("location") ?? "");
  }

  /** Sends `content` as JSON, which has two more bytes. */
  function append(path: string, at: number, content: string): Promise<Answer> {
    const fields = { "upload-offset": String(at), "content-type": "application/offset+octet-stream" };
    return world.call("PATCH", path, { token, body: content, headers: { ...TUS, ...fields } });
  }

  test("expires a day after its last byte, and leaves nothing", async () => {
    const { clock, objects } = filesOf(world);
    const path = await created(1_000_000);
    clock.advance(80_000_000);
    assert.equal((await append(path, 0, "x".repeat(99_998))).status, 204);
    clock.advance(80_000_000);
    assert.equal((await append(path, 100_000, "x".repeat(99_998))).status, 204, "every byte moves the expiry");
    assert.deepEqual(await usageOf(world.metadata.read, "files", { org_id: world.acme.id }), {
      files: 0,
      bytes: 0,
      grants: 1,
      reserved: 1_000_000,
      ...NO_TRASH,
    });
    clock.advance(86_401_000);
    assert.equal((await append(path, 200_000, "x")).status, 404);
    clock.advance(600_000);
    assert.equal(await cleanUp(filesOf(world)), 1);
    assert.deepEqual(await usageOf(world.metadata.read, "files", { org_id: world.acme.id }), {
      files: 0,
      bytes: 0,
      grants: 0,
      reserved: 0,
      ...NO_TRASH,
    });
    clock.advance(2000);
    assert.equal((await objects.collect()).blobs, 2);
  });

  test("ends when its sender loses the permission", async () => {
    const path = await created(1000);
    const { id, token: other } = await world.credential();
    const own = token;
    token = other;
    assert.equal((await append(path, 0, "abc")).status, 204);
    await world.identity.credentials.revoke({ actor: { kind: "system", id: null, orgId: world.acme.id } }, id);
    assert.equal((await append(path, 5, "abc")).status, 401);
    token = own;
    assert.equal((await append(path, 5, "abc")).status, 204);
  });

  test("is absent while its project is in the trash, and continues after the restore", async () => {
    const project = await world.call("POST", "/v1/projects", { token, body: { slug: "with-parts" } });
    const fields = { "upload-length": "10", "upload-metadata": "filename YS50eHQ=,project d2l0aC1wYXJ0cw==" };
    const made = await world.call("POST", "/v1/uploads", { token, headers: { ...TUS, ...fields } });
    const path = contentPath(made.headers.get("location") ?? "");
    assert.equal((await append(path, 0, "abc")).status, 204);
    const at = `/v1/projects/${String(project.json["id"])}`;
    assert.equal((await world.call("DELETE", at, { token })).status, 204);
    assert.equal((await append(path, 5, "def")).status, 404);
    const trash = await world.call("GET", "/v1/trash?kind=project&limit=1", { token });
    const [item] = trash.json["items"] as { id: string; object_id: string }[];
    assert.equal(item?.object_id, project.json["id"]);
    assert.equal((await world.call("POST", `/v1/trash/${item?.id ?? ""}/restore`, { token })).status, 204);
    assert.equal((await append(path, 5, "def")).status, 204);
  });
});
