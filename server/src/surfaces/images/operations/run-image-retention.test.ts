import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { REGISTRY_API_ROUTES } from "@mooring/contract";
import { appPairs } from "../../organization/testing/requests.ts";
import { assertProblem, testOperation } from "../../organization/testing/suite.ts";
import { createWorld, type World } from "../../organization/testing/world.ts";
import { registryOf } from "../../registry/testing/registry.ts";
import { pushImage, WITH_IMAGES } from "../testing/images.ts";

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

describe("rules by which old images go", () => {
  let world: World;
  let token: string;
  let id: string;
  before(async () => {
    world = await createWorld(WITH_IMAGES);
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

  test("keep the last tags, the young and pulled ones, named forms, and whatever is immutable", async () => {
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

  test("can be tried, and run only as the repository's own", async () => {
    const answer = await world.call("POST", path(id), { token, body: { dry_run: false, retention: NONE } });
    assertProblem(answer, "invalid_body");
  });
});
