import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { REGISTRY_API_ROUTES } from "@mooring/contract";
import { createApp, createProject, SYSTEM } from "#domain/organizations/index.ts";
import { appPairs, deps, newApp, projectPairs } from "../../organization/testing/requests.ts";
import { assertProblem, testOperation } from "../../organization/testing/suite.ts";
import { sharedWorld, type World } from "../../organization/testing/world.ts";
import { pushImage, WITH_IMAGES } from "../testing/images.ts";
import { registryOf } from "../testing/registry.ts";

describe("listImageRepositories", () => {
  const path = "/v1/registry/repositories";

  testOperation(
    REGISTRY_API_ROUTES.listImageRepositories,
    {
      ask: () => ({ path }),
      hidden: (world) => projectPairs(world, (name) => ({ path: `${path}?project=${name}` })),
    },
    WITH_IMAGES,
  );

  test("lists only a project's repositories, page after page", async (t) => {
    const world = await sharedWorld(WITH_IMAGES);
    t.after(() => world.close());
    const token = await world.token();
    const project = await createProject(deps(world), SYSTEM, world.acme.id, { slug: "other" });
    for (const slug of ["acme-one", "acme-two"]) await createApp(deps(world), SYSTEM, project, { slug });
    const slugsOf = async (query: string): Promise<string[]> => {
      const slugs: string[] = [];
      let cursor: unknown = "";
      do {
        const from = cursor === "" ? "" : `&cursor=${String(cursor)}`;
        const { json } = await world.call("GET", `${path}?limit=1${query}${from}`, { token });
        slugs.push(...(json["items"] as { slug: string }[]).map(({ slug }) => slug));
        cursor = json["next_cursor"];
      } while (cursor !== null);
      return slugs;
    };
    assert.deepEqual(await slugsOf(`&project=${world.acme.open.id}`), [world.acme.openApp.slug]);
    // Newest first, but both may have the same millisecond.
    assert.deepEqual((await slugsOf("&project=other")).toSorted(), ["acme-one", "acme-two"]);
    const [first, second, ...older] = await slugsOf("");
    assert.deepEqual(new Set([first, second]), new Set(["acme-one", "acme-two"]));
    assert.deepEqual(older, [world.acme.openApp.slug]);
  });
});

describe("getImageRepository", () => {
  const path = (app: string): string => `/v1/registry/repositories/${app}`;

  testOperation(
    REGISTRY_API_ROUTES.getImageRepository,
    {
      ask: async (world) => {
        await pushImage(world, world.acme.openApp, "v1");
        return { path: path(world.acme.openApp.id) };
      },
      hidden: (world) => appPairs(world, (name) => ({ path: path(name) })),
    },
    WITH_IMAGES,
  );
});

describe("updateImageRepository", () => {
  const path = (app: string): string => `/v1/registry/repositories/${app}`;
  const retention = { keep_last: 10, keep_days: null, keep_tags: ["v*"], untagged_days: 7 };
  const body = { public: true, immutable_tags: ["v*", "release-*"], retention };

  testOperation(
    REGISTRY_API_ROUTES.updateImageRepository,
    {
      ask: (world) => ({ path: path(world.acme.openApp.id), body }),
      hidden: (world) => appPairs(world, (name) => ({ path: path(name), body })),
    },
    WITH_IMAGES,
  );
});

describe("emptyImageRepository", () => {
  const path = (app: string): string => `/v1/registry/repositories/${app}`;

  testOperation(
    REGISTRY_API_ROUTES.emptyImageRepository,
    {
      ask: async (world) => {
        await pushImage(world, world.acme.openApp, "v1");
        return { path: path(world.acme.openApp.id) };
      },
      hidden: (world) => appPairs(world, (name) => ({ path: path(name) })),
      problems: {
        conflict: async (world) => {
          const id = await newApp(world);
          const token = await world.token();
          const { slug } = (await world.call("GET", `/v1/apps/${id}`, { token })).json as { slug: string };
          await pushImage(world, { slug, project_id: world.acme.open.id }, "v1");
          await world.call("PATCH", path(id), { token, body: { immutable_tags: ["v*"] } });
          return { path: path(id) };
        },
      },
    },
    WITH_IMAGES,
  );
});

describe("runImageRetention", () => {
  const path = (app: string): string => `/v1/registry/repositories/${app}/retention`;
  const NONE = { keep_last: null, keep_days: null, keep_tags: [], untagged_days: null };

  testOperation(
    REGISTRY_API_ROUTES.runImageRetention,
    {
      ask: (world) => ({ path: path(world.acme.openApp.id), body: { dry_run: true } }),
      hidden: (world) => appPairs(world, (name) => ({ path: path(name), body: { dry_run: true } })),
    },
    WITH_IMAGES,
  );

  describe("rules that delete old images", () => {
    let world: World;
    let token: string;
    let id: string;
    before(async () => {
      world = await sharedWorld(WITH_IMAGES);
      token = await world.token();
      id = world.acme.openApp.id;
    });
    after(() => world.close());

    const DAY_MS = 86_400_000;

    async function tags(): Promise<string[]> {
      const answer = await world.call("GET", `/v1/registry/repositories/${id}/tags`, { token });
      return (answer.json["items"] as { name: string }[]).map(({ name }) => name);
    }

    async function run(body: object): Promise<{ tags: string[]; manifests: number }> {
      const answer = await world.call("POST", path(id), { token, body });
      assert.equal(answer.status, 200, answer.text);
      const names = (answer.json["tags"] as { name: string }[]).map(({ name }) => name).toSorted();
      return { tags: names, manifests: (answer.json["manifests"] as object[]).length };
    }

    async function set(change: object): Promise<void> {
      const answer = await world.call("PATCH", `/v1/registry/repositories/${id}`, { token, body: change });
      assert.equal(answer.status, 200, answer.text);
    }

    test("keep the last tags, young and pulled ones, matching names, and immutable ones", async () => {
      const { clock } = registryOf(world);
      await set({ immutable_tags: ["v*"] });
      for (const tag of ["v1", "stable", "build-1", "build-2", "build-3"]) {
        await pushImage(world, world.acme.openApp, tag);
        clock.advance(DAY_MS);
      }
      const rules = { ...NONE, keep_tags: ["stable"] };
      assert.deepEqual(await run({ dry_run: true, retention: { ...rules, keep_last: 1 } }), {
        tags: ["build-1", "build-2"],
        manifests: 0,
      });
      assert.deepEqual((await run({ dry_run: true, retention: { ...rules, keep_days: 2 } })).tags, [
        "build-1",
        "build-2",
      ]);
      assert.deepEqual((await run({ dry_run: true, retention: { ...rules, keep_last: 2, keep_days: 1 } })).tags, [
        "build-1",
      ]);
      assert.deepEqual((await run({ dry_run: true, retention: NONE })).tags, []);
      assert.equal((await tags()).length, 5, "a dry run deletes nothing");
      await set({ retention: { ...rules, keep_last: 1, untagged_days: 3 } });
      assert.deepEqual(await run({ dry_run: false }), { tags: ["build-1", "build-2"], manifests: 0 });
      assert.deepEqual(await tags(), ["build-3", "stable", "v1"]);
      clock.advance(3 * DAY_MS + 1);
      assert.deepEqual(await run({ dry_run: true }), { tags: [], manifests: 2 });
      assert.deepEqual(await run({ dry_run: false }), { tags: [], manifests: 2 });
      assert.deepEqual(await run({ dry_run: false }), { tags: [], manifests: 0 });
      const { json } = await world.call("GET", "/v1/audit?limit=100", { token });
      const actions = (json["items"] as { action: string; detail: { by?: string } }[]).filter(
        ({ detail }) => detail.by === "retention",
      );
      assert.deepEqual(actions.map(({ action }) => action).toSorted(), [
        "image.delete",
        "image.delete",
        "image.untag",
        "image.untag",
      ]);
    });

    test("can be tried, and run only with the repository's own rules", async () => {
      const answer = await world.call("POST", path(id), { token, body: { dry_run: false, retention: NONE } });
      assertProblem(answer, "invalid_body");
    });
  });
});
