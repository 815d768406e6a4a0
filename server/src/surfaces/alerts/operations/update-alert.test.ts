import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { ALERT_ROUTES } from "@mooring/contract";
import { assertProblem, testOperation } from "../../organization/testing/suite.ts";
import { createWorld, type World } from "../../organization/testing/world.ts";
import { alertPairs, newAlert, PATH, WITH_ALERTS } from "../testing/alerts.ts";

const path = (id: string): string => `${PATH}/${id}`;

testOperation(
  ALERT_ROUTES.updateAlert,
  {
    ask: async (world) => ({
      path: path(await newAlert(world)),
      body: { name: "Other", every_s: 30, window_s: 90, url: "https://other.example/", for_evaluations: 2 },
    }),
    hidden: (world) => alertPairs(world, (id) => ({ path: path(id), body: { name: "x" } })),
  },
  WITH_ALERTS,
);

describe("changing an alert", () => {
  let world: World;
  let token: string;
  before(async () => {
    world = await createWorld(WITH_ALERTS);
    token = await world.token();
  });
  after(() => world.close());

  const change = (id: string, body: object, headers = {}) => world.call("PATCH", path(id), { token, body, headers });

  test("changes what is named and nothing else", async () => {
    const id = await newAlert(world, { window_s: 120, renotify_s: 600, no_data: "keep" });
    const { every_s, window_s, renotify_s, no_data, url } = (await change(id, { every_s: 20, renotify_s: null })).json;
    assert.deepEqual([every_s, window_s, renotify_s, no_data], [20, 120, null, "keep"]);
    assert.equal(url, "https://receiver.example/hook");
    assert.equal((await change(id, { window_s: null })).json["window_s"], null);
    assertProblem(await change(id, { url: "https://127.0.0.1/" }), "invalid_body");
  });

  test("goes through with the version that was read, which evaluations do not change", async () => {
    const id = await newAlert(world);
    const etag = (await world.call("GET", path(id), { token })).headers.get("etag") ?? "";
    await world.metadata.write(async (tx) => {
      await tx.updateTable("alert").set({ evaluations: 7 }).where("id", "=", id).execute();
    });
    assert.equal((await change(id, { name: "first" }, { "if-match": etag })).status, 200);
    assertProblem(await change(id, { name: "second" }, { "if-match": etag }), "concurrent_update");
  });

  test("whoever changes it is whom it is evaluated for from then on", async () => {
    const id = await newAlert(world);
    const developer = world.acme.people.developer;
    const as = world.person(world.acme, developer);
    const changed = await world.call("PATCH", path(id), { token: as, body: { name: "mine" } });
    assert.equal(changed.json["updated_by"], developer);
    assert.notEqual(changed.json["created_by"], developer);
  });

  test("a paused alert has no job, a resumed one has", async () => {
    const id = await newAlert(world);
    const jobs = async (): Promise<number> =>
      (await world.metadata.read.selectFrom("job").select("id").where("key", "=", id).execute()).length;
    const counts = [await jobs()];
    assert.equal((await change(id, { enabled: false })).json["state"], "paused");
    counts.push(await jobs());
    assert.equal((await change(id, { enabled: true })).json["state"], "ok");
    counts.push(await jobs());
    assert.deepEqual(counts, [1, 0, 1]);
  });
});
