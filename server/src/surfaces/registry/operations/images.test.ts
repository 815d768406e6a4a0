import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { REGISTRY_API_ROUTES } from "@mooring/contract";
import { Compile } from "typebox/compile";
import { appPairs, newApp } from "../../organization/testing/requests.ts";
import { assertProblem, testOperation } from "../../organization/testing/suite.ts";
import { sharedWorld, type Answer, type World } from "../../organization/testing/world.ts";
import { pushImage, pushIndex, WITH_IMAGES } from "../testing/images.ts";
import { digestOf, newClient, tokenFor } from "../testing/registry.ts";

describe("listImageTags", () => {
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

  describe("the image of a tag", () => {
    let world: World;
    let token: string;
    before(async () => {
      world = await sharedWorld(WITH_IMAGES);
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

    test("is returned with the tag: platforms, and the size in the manifest", async () => {
      const app = world.acme.openApp;
      const amd64 = await pushImage(world, app, "amd64");
      const arm64 = await pushImage(world, app, "arm64", {
        config: { os: "linux", architecture: "arm64", variant: "v8" },
      });
      await pushImage(world, app, "chart", {
        config: { os: "linux" },
        type: "application/vnd.cncf.helm.config.v1+json",
      });
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

    test("is returned for 20 platforms at most", async () => {
      const app = world.acme.openApp;
      const parts = [];
      for (let n = 0; n < 21; n++)
        parts.push({ image: await pushImage(world, app, `p${n}`), platform: { os: "linux", architecture: `a${n}` } });
      await pushIndex(world, app, "many", parts);
      const { items } = (await read("tags")) as { items: { name: string; platforms: unknown[] }[] };
      assert.equal(items.find(({ name }) => name === "many")?.platforms.length, 20);
    });
  });
});

describe("getImageManifest", () => {
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
      world = await sharedWorld(WITH_IMAGES);
      token = await world.token();
    });
    after(() => world.close());

    const schema = Compile(REGISTRY_API_ROUTES.getImageManifest.result);

    /** Returns what the API shows of an image with this config. */
    async function configOf(config: unknown, type?: string): Promise<Record<string, unknown> | null> {
      await pushImage(world, world.acme.openApp, "v1", { config, ...(type === undefined ? {} : { type }) });
      const { status, json, text } = await world.call("GET", path(world.acme.openApp.id), { token });
      assert.equal(status, 200, text);
      assert.ok(schema.Check(json), JSON.stringify(schema.Errors(json)));
      return json["image_config"];
    }

    test("is returned for images of OCI and of Docker", async () => {
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

    test("is null for artifacts, for other JSON than an object, and over 1 MiB", async () => {
      assert.equal(await configOf({ os: "linux" }, "application/vnd.cncf.helm.config.v1+json"), null);
      assert.equal(await configOf({ os: "linux" }, "application/json"), null);
      assert.equal(await configOf(["linux"]), null);
      const large = (bytes: number) => ({ os: "linux", x: "a".repeat(bytes - '{"os":"linux","x":""}'.length) });
      assert.equal((await configOf(large(1024 ** 2)))?.["os"], "linux");
      assert.equal(await configOf(large(1024 ** 2 + 1)), null);
    });

    test("accepts any values", async () => {
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
});

describe("deleteImageManifest", () => {
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
          ...(await appPairs(world, (name) => ({ path: path(name, "v1") }))),
          ...(await appPairs(world, (name) => ({ path: path(name, digest) }))),
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

  /** Creates an app with an image `v1`, which is immutable. */
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
      world = await sharedWorld(WITH_IMAGES);
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

    test("deleting a tag keeps the image under its digest", async () => {
      const { name, digest } = await pushImage(world, world.acme.openApp, "a");
      assert.equal((await remove("a")).status, 204);
      assertProblem(await look("a"), "not_found");
      const image = await look(digest);
      assert.deepEqual([image.status, image.json["tags"]], [200, []]);
      assert.deepEqual(await lastChange(), {
        action: "image.untag",
        detail: { repository: name, digest, tags: ["a"] },
      });
      assertProblem(await remove("a"), "not_found");
    });

    test("deleting a digest deletes its tags", async () => {
      const { name, digest } = await pushImage(world, world.acme.openApp, "b");
      assert.equal((await remove(digest)).status, 204);
      for (const reference of ["b", digest]) assertProblem(await look(reference), "not_found");
      assert.deepEqual(await lastChange(), {
        action: "image.delete",
        detail: { repository: name, digest, tags: ["b"] },
      });
      assertProblem(await remove(digest), "not_found");
    });

    test("a name that is neither a tag nor a digest is not found", async () => {
      for (const reference of ["sha256:abc", "sha512:", ".hidden", "a%2Fb", "%00"]) {
        const answer = await remove(reference);
        assert.ok(answer.status === 404 || answer.status === 400, `${reference}: ${answer.text}`);
      }
    });

    test("an immutable tag protects itself and its image", async () => {
      const app = await protectedApp(world);
      const byTag = await remove("v1", app.id);
      assertProblem(byTag, "conflict");
      assert.match(String(byTag.json["detail"]), /^The tag v1 is immutable/);
      const byDigest = await remove(app.digest, app.id);
      assertProblem(byDigest, "conflict");
      assert.match(String(byDigest.json["detail"]), /^A tag of this image is immutable/);
    });

    test("an index protects its images", async () => {
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
});
