/** What making and changing an alert checks and stores. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { assertProblem } from "../organization/testing/suite.ts";
import { sharedWorld, type World } from "../organization/testing/world.ts";
import { newSavedQuery, savedQueryPairs } from "../query/testing/saved.ts";
import { alertBody, make, newAlert, PATH, WITH_ALERTS } from "./testing/alerts.ts";

const path = (id: string): string => `${PATH}/${id}`;

describe("making an alert", () => {
  let world: World;
  let token: string;
  before(async () => {
    world = await sharedWorld(WITH_ALERTS);
    token = await world.token();
  });
  after(() => world.close());

  const create = async (change: Record<string, unknown>, as = token) =>
    world.call("POST", PATH, { token: as, body: await alertBody(world, change) });

  test("defaults are filled in; the secret is shown once and stored encrypted", async () => {
    const made = await create({});
    const { secret, ...body } = made.json;
    assert.match(String(secret), /^whsec_[A-Za-z0-9+/]{43}=$/);
    assert.partialDeepStrictEqual(body, {
      window_s: null,
      for_evaluations: 1,
      no_data: "ok",
      renotify_s: null,
      notify_resolved: true,
      enabled: true,
      state: "ok",
      incident_id: null,
      evaluated_at: null,
    });
    const id = String(body["id"]);
    const row = await world.metadata.read.selectFrom("alert").selectAll().where("id", "=", id).executeTakeFirst();
    assert.ok(row !== undefined && row.secret.length > 100);
    const base64 = String(secret).slice("whsec_".length);
    for (const known of [base64, Buffer.from(base64, "base64").toString("latin1")])
      assert.ok(!Buffer.from(row.secret).toString("latin1").includes(known));
    const entries = await world.call("GET", `/v1/audit?target=${id}`, { token });
    assert.ok(!entries.text.includes(base64) && !entries.text.includes("/hook"), entries.text);
  });

  test("internal destinations, and invalid thresholds and durations, are refused with pointers", async () => {
    const refused = async (change: Record<string, unknown>): Promise<string[]> => {
      const answer = await create(change);
      assertProblem(answer, "invalid_body");
      return (answer.json["errors"] as { pointer: string }[]).map((place) => place.pointer);
    };
    for (const url of ["http://receiver.example/", "https://127.0.0.1/", "https://user@receiver.example/", "nonsense"])
      assert.deepEqual(await refused({ url }), ["/url"]);
    for (const threshold of [-1, 0.5, 10_000])
      assert.deepEqual(await refused({ condition: { operator: ">", threshold } }), ["/condition/threshold"]);
    for (const every_s of [9, 86_401, 10.5]) assert.deepEqual(await refused({ every_s }), ["/every_s"]);
    assert.ok((await refused({ renotify_s: 59 })).every((pointer) => pointer === "/renotify_s"));
    assert.deepEqual(await refused({ condition: { operator: "=", threshold: 1 } }), ["/condition/operator"]);
    const column = await create({ condition: { column: "x", operator: ">", threshold: -0.5 } });
    assert.equal(column.status, 201, column.text);
  });

  test("a query whose parameters have no values can't have an alert, except for those of the window", async () => {
    const query = (sql: string, parameters: unknown = {}) => newSavedQuery(world, { sql, parameters });
    const open = await create({ query_id: await query("select $service as s") });
    assertProblem(open, "invalid_body");
    assert.match(JSON.stringify(open.json["errors"]), /query_id.*service/);
    assertProblem(await create({ query_id: await query("select ? as s") }), "invalid_body");
    const window = await query("select $from as a, $to as b, $service as c", { service: "shop" });
    for (const id of [window, await query("select ? as s", ["shop"])])
      assert.equal((await create({ query_id: id })).status, 201);
  });

  test("needs the permission to read its query's tables; viewers can't create alerts", async () => {
    assertProblem(await create({}, await world.token({ scopes: ["webhooks:write"] })), "insufficient_scope");
    assertProblem(await create({}, world.person(world.acme, world.acme.people.viewer)), "insufficient_scope");
    assert.equal((await create({}, world.person(world.acme, world.acme.people.developer))).status, 201);
  });

  test("a hidden query is answered like one that does not exist", async () => {
    const body = await alertBody(world);
    for (const { hidden, absent, names } of await savedQueryPairs(world, (id) => ({ path: id }))) {
      const ask = (each: typeof hidden) =>
        world.call("POST", PATH, {
          token: each.token ?? token,
          body: { ...body, query_id: each.path },
          headers: { "request-id": "same-request-id" },
        });
      const [one, other] = [await ask(hidden), await ask(absent)];
      assertProblem(one, "not_found");
      assert.equal(one.text.replaceAll(names[0], "NAME"), other.text.replaceAll(names[1], "NAME"));
    }
  });

  test("the path of a destination is hidden from people who may only read", async () => {
    const made = await make(world, await alertBody(world), token);
    const seen = async (as: string): Promise<unknown> =>
      (await world.call("GET", `${PATH}/${String(made.json["id"])}`, { token: as })).json["url"];
    assert.equal(await seen(token), "https://receiver.example/hook");
    assert.equal(await seen(world.person(world.acme, world.acme.people.viewer)), "https://receiver.example/…");
  });
});

describe("changing an alert", () => {
  let world: World;
  let token: string;
  before(async () => {
    world = await sharedWorld(WITH_ALERTS);
    token = await world.token();
  });
  after(() => world.close());

  const change = (id: string, body: object, headers = {}) => world.call("PATCH", path(id), { token, body, headers });

  test("changes the given members and nothing else", async () => {
    const id = await newAlert(world, { window_s: 120, renotify_s: 600, no_data: "keep" });
    const { every_s, window_s, renotify_s, no_data, url } = (await change(id, { every_s: 20, renotify_s: null })).json;
    assert.deepEqual([every_s, window_s, renotify_s, no_data], [20, 120, null, "keep"]);
    assert.equal(url, "https://receiver.example/hook");
    assert.equal((await change(id, { window_s: null })).json["window_s"], null);
    assertProblem(await change(id, { url: "https://127.0.0.1/" }), "invalid_body");
  });

  test("succeeds for the version that was read, which evaluations do not change", async () => {
    const id = await newAlert(world);
    const etag = (await world.call("GET", path(id), { token })).headers.get("etag") ?? "";
    await world.metadata.write(async (tx) => {
      await tx.updateTable("alert").set({ evaluations: 7 }).where("id", "=", id).execute();
    });
    assert.equal((await change(id, { name: "first" }, { "if-match": etag })).status, 200);
    assertProblem(await change(id, { name: "second" }, { "if-match": etag }), "concurrent_update");
  });

  test("the actor of a change becomes the author", async () => {
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
