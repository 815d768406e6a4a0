import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { REGISTRY_API_ROUTES } from "@mooring/contract";
import { appPairs, newApp } from "../../organization/testing/requests.ts";
import { assertProblem, testOperation } from "../../organization/testing/suite.ts";
import { createWorld, type Answer, type World } from "../../organization/testing/world.ts";
import { digestOf, newClient, tokenFor } from "../../registry/testing/registry.ts";
import { pushImage, WITH_IMAGES } from "../testing/images.ts";

const path = (app: string, reference: string): string => `/v1/registry/repositories/${app}/manifests/${reference}`;

testOperation(
  REGISTRY_API_ROUTES.deleteImageManifest,
  {
    ask: async (world) => {
      await pushImage(world, world.acme.openApp, "v1");
      return { path: path(world.acme.openApp.id, "v1") };
    },
    hidden: async (world) => {
      const { digest } = await pushImage(world, world.acme.closedApp, "v1");
      return [
        ...appPairs(world, (name) => ({ path: path(name, "v1") })),
        ...appPairs(world, (name) => ({ path: path(name, digest) })),
      ];
    },
    problems: {
      conflict: async (world) => {
        const { id } = await protectedApp(world);
        return { path: path(id, "v1") };
      },
    },
  },
  WITH_IMAGES,
);

/** An app of its own with an image `v1`, which is immutable. */
async function protectedApp(world: World): Promise<{ id: string; digest: string; slug: string }> {
  const id = await newApp(world);
  const token = await world.token();
  const { slug } = (await world.call("GET", `/v1/apps/${id}`, { token })).json as { slug: string };
  const { digest } = await pushImage(world, { slug, project_id: world.acme.open.id }, "v1");
  await world.call("PATCH", `/v1/registry/repositories/${id}`, { token, body: { immutable_tags: ["v*"] } });
  return { id, digest, slug };
}

describe("deleting by tag and by digest", () => {
  let world: World;
  let token: string;
  let id: string;
  before(async () => {
    world = await createWorld(WITH_IMAGES);
    token = await world.token();
    id = world.acme.openApp.id;
  });
  after(() => world.close());

  const remove = (reference: string, app = id): Promise<Answer> =>
    world.call("DELETE", path(app, reference), { token });
  const look = (reference: string): Promise<Answer> => world.call("GET", path(id, reference), { token });

  async function lastChange(): Promise<{ action: string; detail: object }> {
    const { json } = await world.call("GET", "/v1/audit?limit=1", { token });
    const [{ action, detail }] = json["items"] as [{ action: string; detail: object }];
    return { action, detail };
  }

  async function lastEvent(): Promise<object> {
    const query = world.metadata.read.selectFrom("event_outbox").select(["type", "body"]);
    const { type, body } = await query.orderBy("id", "desc").limit(1).executeTakeFirstOrThrow();
    const { digest, tags } = JSON.parse(body) as { digest: string; tags: string[] };
    return { type, digest, tags };
  }

  test("a tag goes alone, and the image stays under its digest", async () => {
    const { name, digest } = await pushImage(world, world.acme.openApp, "a");
    assert.equal((await remove("a")).status, 204);
    assertProblem(await look("a"), "not_found");
    const image = await look(digest);
    assert.deepEqual([image.status, image.json["tags"]], [200, []]);
    assert.deepEqual(await lastChange(), { action: "image.untag", detail: { repository: name, digest, tags: ["a"] } });
    assert.deepEqual(await lastEvent(), { type: "image.deleted", digest, tags: ["a"] });
    assertProblem(await remove("a"), "not_found");
  });

  test("a digest goes with its tags", async () => {
    const { name, digest } = await pushImage(world, world.acme.openApp, "b");
    assert.equal((await remove(digest)).status, 204);
    for (const reference of ["b", digest]) assertProblem(await look(reference), "not_found");
    assert.deepEqual(await lastChange(), { action: "image.delete", detail: { repository: name, digest, tags: ["b"] } });
    assert.deepEqual(await lastEvent(), { type: "image.deleted", digest, tags: ["b"] });
    assertProblem(await remove(digest), "not_found");
  });

  test("what can be neither a tag nor a digest is not there", async () => {
    for (const reference of ["sha256:abc", "sha512:", ".hidden", "a%2Fb", "%00"]) {
      const answer = await remove(reference);
      assert.ok(answer.status === 404 || answer.status === 400, `${reference}: ${answer.text}`);
    }
  });

  test("an immutable tag keeps itself and its image", async () => {
    const app = await protectedApp(world);
    const byTag = await remove("v1", app.id);
    assertProblem(byTag, "conflict");
    assert.match(String(byTag.json["detail"]), /^The tag v1 is immutable/);
    const byDigest = await remove(app.digest, app.id);
    assertProblem(byDigest, "conflict");
    assert.match(String(byDigest.json["detail"]), /^A tag of this image is immutable/);
  });

  test("an index keeps its images", async () => {
    const { name, digest } = await pushImage(world, world.acme.openApp, "c");
    const client = await newClient(world, { scopes: ["registry:pull", "registry:push"] });
    const headers = { authorization: await tokenFor(world, client, `repository:${name}:pull,push`) };
    const image = await world.call("GET", `/v2/${name}/manifests/${digest}`, { headers });
    const mediaType = "application/vnd.oci.image.index.v1+json";
    const child = { mediaType: image.headers.get("content-type"), digest, size: Buffer.byteLength(image.text) };
    const index = { schemaVersion: 2, mediaType, manifests: [child] };
    const put = { headers: { ...headers, "content-type": mediaType }, body: index };
    const whole = await world.call("PUT", `/v2/${name}/manifests/i`, put);
    assert.equal(whole.status, 201, whole.text);
    const answer = await remove(digest);
    assertProblem(answer, "conflict");
    assert.match(String(answer.json["detail"]), /index/);
    assert.equal((await remove(digestOf(JSON.stringify(index)))).status, 204);
    assert.equal((await remove(digest)).status, 204);
  });
});
