import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { REGISTRY_API_ROUTES } from "@mooring/contract";
import { appPairs } from "../../organization/testing/requests.ts";
import { testOperation } from "../../organization/testing/suite.ts";
import { createWorld, type World } from "../../organization/testing/world.ts";
import { pushImage, pushIndex, WITH_IMAGES } from "../testing/images.ts";

const path = (app: string): string => `/v1/registry/repositories/${app}/tags`;

testOperation(
  REGISTRY_API_ROUTES.listImageTags,
  {
    ask: async (world) => {
      await pushImage(world, world.acme.openApp, "v1");
      return { path: path(world.acme.openApp.id) };
    },
    hidden: (world) => appPairs(world, (name) => ({ path: path(name) })),
  },
  WITH_IMAGES,
);

describe("what a tag points at", () => {
  let world: World;
  let token: string;
  before(async () => {
    world = await createWorld(WITH_IMAGES);
    token = await world.token();
  });
  after(() => world.close());

  const read = async (rest: string): Promise<Record<string, unknown>> => {
    const at = `/v1/registry/repositories/${world.acme.openApp.id}/${rest}`;
    const { status, json, text } = await world.call("GET", at, { token });
    assert.equal(status, 200, text);
    return json;
  };
  const platform = (os: string | null, architecture: string | null, variant: string | null = null) => ({
    os,
    architecture,
    variant,
  });

  test("is told with it: platforms, and the size that the image itself tells", async () => {
    const app = world.acme.openApp;
    const amd64 = await pushImage(world, app, "amd64");
    const arm64 = await pushImage(world, app, "arm64", {
      config: { os: "linux", architecture: "arm64", variant: "v8" },
    });
    await pushImage(world, app, "chart", { config: { os: "linux" }, type: "application/vnd.cncf.helm.config.v1+json" });
    await pushImage(world, app, "odd", { config: { os: 1, architecture: "x".repeat(500), created: [] } });
    await pushImage(world, app, "bare", { config: ["linux"] });
    const attached = await pushImage(world, app, "attached", { config: {} });
    const both = await pushIndex(world, app, "both", [
      { image: amd64, platform: { os: "linux", architecture: "amd64" } },
      { image: arm64, platform: { os: "linux", architecture: "arm64", variant: "v8" } },
      { image: attached, platform: { os: 1, architecture: ["x"] } },
    ]);
    await pushIndex(world, app, "outer", [{ image: both }]);

    const { items } = (await read("tags")) as { items: { name: string; platforms: unknown; size_bytes: number }[] };
    assert.deepEqual(Object.fromEntries(items.map(({ name, platforms }) => [name, platforms])), {
      amd64: [platform("linux", "amd64")],
      arm64: [platform("linux", "arm64", "v8")],
      attached: [],
      bare: [],
      both: [platform("linux", "amd64"), platform("linux", "arm64", "v8"), platform(null, null)],
      chart: [],
      odd: [platform(null, "x".repeat(100))],
      outer: [],
    });
    for (const { name, size_bytes } of items) {
      assert.equal(size_bytes, (await read(`manifests/${name}`))["total_size_bytes"], name);
      assert.ok(size_bytes > 100, name);
    }
  });

  test("is told of 20 platforms at most", async () => {
    const app = world.acme.openApp;
    const parts = [];
    for (let n = 0; n < 21; n++)
      parts.push({ image: await pushImage(world, app, `p${n}`), platform: { os: "linux", architecture: `a${n}` } });
    await pushIndex(world, app, "many", parts);
    const { items } = (await read("tags")) as { items: { name: string; platforms: unknown[] }[] };
    assert.equal(items.find(({ name }) => name === "many")?.platforms.length, 20);
  });
});
