import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { SCOPES } from "@mooring/contract";
import { assertProblem } from "../../organization/testing/suite.ts";
import { createWorld, type Answer, type World } from "../../organization/testing/world.ts";
import { appendLogs, newSavedQuery, save, savedQueryPairs, WITH_QUERIES } from "../testing/saved.ts";

describe("running a saved query", () => {
  let world: World;
  let token: string;
  before(async () => {
    world = await createWorld(WITH_QUERIES);
    token = await world.token();
  });
  after(() => world.close());

  function run(id: string, body: unknown = {}, headers: Record<string, string> = {}, as = token): Promise<Answer> {
    return world.call("POST", `/v1/query/saved/${id}/run`, { token: as, body, headers });
  }

  test("answers as a query does, in the form that is accepted", async () => {
    const id = await newSavedQuery(world, { sql: "select range as n from range(5)" });
    const whole = await run(id);
    assert.deepEqual([whole.status, whole.json["row_count"]], [200, 5]);
    const cut = await run(id, { limit: 2 });
    assert.deepEqual([cut.json["row_count"], cut.json["truncated"]], [2, true]);
    assert.equal((await run(id, { limit: 2 }, { accept: "text/csv" })).text, "n\r\n0\r\n1\r\n");
    assertProblem(await run(id, {}, { accept: "image/png" }), "not_acceptable");
    assertProblem(await run(id, { limit: 1_000_000_000 }), "invalid_body");
    assertProblem(await run(id, { sql: "select 1" }), "invalid_body");
  });

  test("named values are added to the saved ones, a list replaces them", async () => {
    const named = await newSavedQuery(world, { sql: "select $a as a, $b as b", parameters: { a: "saved" } });
    assertProblem(await run(named), "invalid_parameter");
    assert.deepEqual((await run(named, { parameters: { b: "given" } })).json["rows"], [{ a: "saved", b: "given" }]);
    assert.deepEqual((await run(named, { parameters: { a: "x", b: "y" } })).json["rows"], [{ a: "x", b: "y" }]);
    const listed = await newSavedQuery(world, { sql: "select ? as a", parameters: [1] });
    assert.deepEqual((await run(listed)).json["rows"], [{ a: 1 }]);
    assert.deepEqual((await run(listed, { parameters: ["x"] })).json["rows"], [{ a: "x" }]);
  });

  test("runs with the rights of who runs it, not of who saved it", async () => {
    await appendLogs(world, [null, world.acme.open.id, world.acme.closed.id]);
    const sql = "select message from logs order by message";
    const owner = world.person(world.acme, world.acme.people.owner);
    const made = await save(world, { sql }, owner);
    const seen = async (as: string): Promise<unknown[]> => {
      const answer = await run(String(made.json["id"]), {}, {}, as);
      assert.equal(answer.status, 200, answer.text);
      return (answer.json["rows"] as { message: string }[]).map((row) => row.message);
    };
    const [open, closed] = [world.acme.open.id, world.acme.closed.id];
    assert.deepEqual(await seen(owner), ["none", ...[open, closed].toSorted()]);
    assert.deepEqual(await seen(token), ["none", open]);
  });

  test("no token, a missing scope, hidden as absent", async () => {
    const id = await newSavedQuery(world);
    assertProblem(await world.call("POST", `/v1/query/saved/${id}/run`, { body: {} }), "unauthorized");
    const scopes = SCOPES.filter((scope) => scope !== "telemetry:read");
    assertProblem(await run(id, {}, {}, await world.token({ scopes })), "insufficient_scope");
    for (const { hidden, absent, names } of await savedQueryPairs(world, (name) => ({
      path: `/v1/query/saved/${name}/run`,
    }))) {
      const headers = { "request-id": "same-request-id" };
      const ask = (each: typeof hidden): Promise<Answer> =>
        world.call("POST", each.path, { token, body: {}, headers, ...each });
      const [one, other] = [await ask(hidden), await ask(absent)];
      assertProblem(one, "not_found");
      assert.equal(one.text.replaceAll(names[0], "NAME"), other.text.replaceAll(names[1], "NAME"));
    }
  });
});
