import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Compile } from "typebox/compile";
import { REGISTRY_API_ROUTES } from "@mooring/contract";
import { appPairs } from "../../organization/testing/requests.ts";
import { testOperation } from "../../organization/testing/suite.ts";
import { createWorld, type World } from "../../organization/testing/world.ts";
import { pushImage, WITH_IMAGES } from "../testing/images.ts";

const path = (app: string): string => `/v1/registry/repositories/${app}/manifests/v1`;

testOperation(
  REGISTRY_API_ROUTES.getImageManifest,
  {
    ask: async (world) => {
      await pushImage(world, world.acme.openApp, "v1");
      return { path: path(world.acme.openApp.id) };
    },
    hidden: async (world) => {
      await pushImage(world, world.acme.closedApp, "v1");
      return appPairs(world, (name) => ({ path: path(name) }));
    },
  },
  WITH_IMAGES,
);

describe("the config of an image", () => {
  let world: World;
  let token: string;
  before(async () => {
    world = await createWorld(WITH_IMAGES);
    token = await world.token();
  });
  after(() => world.close());

  const schema = Compile(REGISTRY_API_ROUTES.getImageManifest.result);

  /** What the API tells of an image with this config. */
  async function configOf(config: unknown, type?: string): Promise<Record<string, unknown> | null> {
    await pushImage(world, world.acme.openApp, "v1", { config, ...(type === undefined ? {} : { type }) });
    const { status, json, text } = await world.call("GET", path(world.acme.openApp.id), { token });
    assert.equal(status, 200, text);
    assert.ok(schema.Check(json), JSON.stringify(schema.Errors(json)));
    return json["image_config"];
  }

  test("is told of images by the OCI and by Docker", async () => {
    const own = {
      Labels: { a: "b" },
      Env: ["A=1"],
      Entrypoint: ["/x"],
      User: "1",
      WorkingDir: "/",
      ExposedPorts: { "80/tcp": {} },
    };
    const history = [{ created: "2026-01-02T03:04:05Z", created_by: "COPY", empty_layer: true }];
    const config = { os: "linux", architecture: "arm64", created: "2026-01-02T03:04:05Z", config: own, history };
    const told = {
      architecture: "arm64",
      os: "linux",
      variant: null,
      created: "2026-01-02T03:04:05.000Z",
      author: null,
      labels: { a: "b" },
      env: ["A=1"],
      entrypoint: ["/x"],
      cmd: null,
      user: "1",
      working_dir: "/",
      exposed_ports: ["80/tcp"],
      history: [{ created: "2026-01-02T03:04:05.000Z", created_by: "COPY", empty_layer: true }],
    };
    assert.deepEqual(await configOf(config), told);
    assert.deepEqual(await configOf(config, "application/vnd.docker.container.image.v1+json"), told);
  });

  test("is none for artifacts, for what is no object, and over 1 MiB", async () => {
    assert.equal(await configOf({ os: "linux" }, "application/vnd.cncf.helm.config.v1+json"), null);
    assert.equal(await configOf({ os: "linux" }, "application/json"), null);
    assert.equal(await configOf(["linux"]), null);
    const large = (bytes: number) => ({ os: "linux", x: "a".repeat(bytes - '{"os":"linux","x":""}'.length) });
    assert.equal((await configOf(large(1024 ** 2)))?.["os"], "linux");
    assert.equal(await configOf(large(1024 ** 2 + 1)), null);
  });

  test("may hold anything", async () => {
    const anything = JSON.parse('{"__proto__": "\\ud800", "<script>": "\\u0000\\u202e", "n": 1}') as object;
    const config = {
      os: 1,
      created: "now",
      config: { Labels: anything, Env: {}, Cmd: [1] },
      history: [null, { created: 1 }],
    };
    const told = await configOf(config);
    assert.equal(told?.["os"], null);
    assert.deepEqual(Object.entries(told["labels"] as object), [
      ["__proto__", "\ufffd"],
      ["<script>", "\u0000\u202e"],
    ]);
    assert.deepEqual(told["history"], [{ created: null, created_by: null, empty_layer: false }]);
    assert.deepEqual([told["env"], told["cmd"]], [[], []]);
  });
});
