import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { sharedWorld, type Answer, type World } from "../../organization/testing/world.ts";
import { storeOf, WITH_QUERIES } from "../testing/saved.ts";

const SLOW = "SELECT count(*) FROM range(10000000) a, range(10000000) b WHERE a.range + b.range = 3";

interface Item {
  readonly id: string;
  readonly state: string;
  readonly actor: { readonly kind: string; readonly id: string };
  readonly statement: string;
}

describe("running queries", { concurrency: 1 }, () => {
  let world: World;
  before(async () => {
    world = await sharedWorld(WITH_QUERIES);
  });
  after(() => world.close());

  /** Starts a slow query. Resolves when it runs. */
  async function begin(token: string): Promise<{ id: string; answer: Promise<Answer> }> {
    const before = new Set(
      storeOf(world.metadata)
        .queries.list()
        .map(({ id }) => id),
    );
    const answer = world.call("POST", "/v1/query", { token, body: { sql: SLOW, timeout_ms: 20_000 } });
    for (const deadline = Date.now() + 20_000; Date.now() < deadline; await delay(5)) {
      const found = storeOf(world.metadata)
        .queries.list()
        .find(({ id, state }) => !before.has(id) && state === "running");
      if (found !== undefined) return { id: found.id, answer };
    }
    assert.fail("the query did not start");
  }

  async function listed(token: string): Promise<readonly Item[]> {
    const answer = await world.call("GET", "/v1/queries", { token });
    assert.equal(answer.status, 200, answer.text);
    return answer.json["items"] as Item[];
  }

  test("their author sees and cancels them; others need queries:manage, and see them as absent without it", async () => {
    const author = await world.credential({ scopes: ["telemetry:read"] });
    const { id, answer } = await begin(author.token);
    const [item] = await listed(author.token);
    assert.partialDeepStrictEqual(item, {
      id,
      state: "running",
      actor: { kind: "credential", id: author.id },
      surface: "query",
      saved_query_id: null,
      statement: SLOW,
    });
    const reader = await world.token({ scopes: ["telemetry:read"] });
    const inside = await world.token({ scopes: ["telemetry:read"], projectId: world.acme.open.id });
    const stranger = await world.token({ tenant: world.rival });
    const developer = world.person(world.acme, world.acme.people.developer);
    for (const token of [reader, inside, stranger, developer]) {
      assert.deepEqual(await listed(token), []);
      const refused = await world.call("DELETE", `/v1/queries/${id}`, { token });
      assert.deepEqual([refused.status, refused.json["code"]], [404, "not_found"]);
      const none = await world.call("DELETE", `/v1/queries?actor=${author.id}`, { token });
      assert.deepEqual(none.json, { cancelled: 0 });
    }
    const absent = await world.call("DELETE", "/v1/queries/stmt_absent", { token: author.token });
    const hidden = await world.call("DELETE", `/v1/queries/${id}`, { token: reader });
    assert.equal(absent.json["detail"], hidden.json["detail"]);
    assert.equal((await world.call("DELETE", `/v1/queries/${id}`, {})).status, 401);
    const writer = await world.token({ scopes: ["telemetry:write"] });
    assert.equal((await world.call("DELETE", `/v1/queries/${id}`, { token: writer })).status, 403);
    assert.equal((await world.call("DELETE", `/v1/queries/${id}`, { token: author.token })).status, 204);
    const cancelled = await answer;
    assert.deepEqual([cancelled.status, cancelled.json["code"]], [400, "query_cancelled"]);
  });

  test("who manages queries cancels those of a credential, also in a read-only organization, and the audit log says so", async () => {
    const author = await world.credential({ scopes: ["telemetry:read"] });
    const owner = world.person(world.acme, world.acme.people.owner);
    const manager = await world.credential({ scopes: ["telemetry:read", "queries:manage"] });
    for (const token of [owner, manager.token]) {
      const { id, answer } = await begin(author.token);
      assert.ok((await listed(token)).some((item) => item.id === id));
      if (token === owner) await world.suspend("read_only");
      const done = await world.call("DELETE", `/v1/queries?actor=${author.id}`, { token });
      if (token === owner) await world.suspend("active");
      assert.deepEqual(done.json, { cancelled: 1 });
      assert.equal((await answer).json["code"], "query_cancelled");
      const entry = await world.call("GET", `/v1/audit?target=${id}`, { token: owner });
      assert.partialDeepStrictEqual(entry.json["items"], [
        { action: "query.cancel", target: { kind: "query", id }, detail: { actor_id: author.id } },
      ]);
    }
  });
});
