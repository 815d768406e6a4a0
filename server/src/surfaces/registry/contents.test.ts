import assert from "node:assert/strict";
import { test } from "node:test";
import { contentsOf, wrongContents } from "#domain/registry/index.ts";
import { sharedWorld } from "../organization/testing/world.ts";
import { pushImage, WITH_IMAGES } from "./testing/images.ts";

test("the counters of a repository follow every push, move and deletion", async (t) => {
  const world = await sharedWorld(WITH_IMAGES);
  t.after(() => world.close());
  const { openApp: app } = world.acme;
  const { read } = world.metadata;
  const token = await world.token();
  const path = `/v1/registry/repositories/${app.id}`;
  const requireKept = async (expected: { tags: number; manifests: number }): Promise<void> => {
    assert.deepEqual(await wrongContents(read), []);
    const { json } = await world.call("GET", path, { token });
    assert.deepEqual({ tags: json["tags"], manifests: json["manifests"] }, expected);
    assert.equal(json["size_bytes"], (await contentsOf(read, app.id)).bytes);
  };
  const drop = async (reference: string): Promise<void> => {
    const { status } = await world.call("DELETE", `${path}${reference}`, { token });
    assert.equal(status, 204);
  };
  await requireKept({ tags: 0, manifests: 0 });
  const first = await pushImage(world, app, "v1");
  await pushImage(world, app, "v2");
  await requireKept({ tags: 2, manifests: 2 });
  await pushImage(world, app, "v1");
  await requireKept({ tags: 2, manifests: 2 });
  await pushImage(world, app, "v1", { config: { architecture: "arm64", os: "linux" } });
  await requireKept({ tags: 2, manifests: 3 });
  await drop("/manifests/v2");
  await requireKept({ tags: 1, manifests: 3 });
  await drop(`/manifests/${first.digest}`);
  await requireKept({ tags: 1, manifests: 2 });
  await drop("");
  await requireKept({ tags: 0, manifests: 0 });
  assert.equal((await contentsOf(read, app.id)).bytes, 0);
});
