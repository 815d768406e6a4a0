import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { TELEMETRY_SETTINGS_ROUTES } from "@mooring/contract";
import { boundToken } from "../../organization/testing/requests.ts";
import { assertProblem, testOperation } from "../../organization/testing/suite.ts";
import { createWorld, type World } from "../../organization/testing/world.ts";
import { withTelemetry } from "../testing/settings.ts";

const path = "/v1/access-log/settings";
const body = { mode: "all" };

describe("getAccessLogSettings", () => {
  testOperation(
    TELEMETRY_SETTINGS_ROUTES.getAccessLogSettings,
    { ask: () => ({ path }), problems: { forbidden: async (world) => ({ path, token: await boundToken(world) }) } },
    withTelemetry(),
  );
});

describe("updateAccessLogSettings", () => {
  testOperation(
    TELEMETRY_SETTINGS_ROUTES.updateAccessLogSettings,
    {
      ask: () => ({ path, body }),
      problems: { forbidden: async (world) => ({ path, body, token: await boundToken(world) }) },
    },
    withTelemetry(),
  );

  let world: World;
  before(async () => {
    world = await createWorld(withTelemetry({ days: { logs: null, metrics: null, traces: null }, daysMax: 20 }));
  });
  after(() => world.close());

  test("a change keeps the other members, within the limits of the server, for this organization only", async () => {
    const token = await world.token();
    const change = async (json: object) => (await world.call("PATCH", path, { token, body: json })).json;
    const defaults = { mode: "off", sample_rate: 100, retention_days: null, effective_retention_days: 20 };
    assert.deepEqual((await world.call("GET", path, { token })).json, defaults);
    assert.deepEqual(await change({ mode: "sampled" }), { ...defaults, mode: "sampled" });
    const told = { mode: "sampled", sample_rate: 7, retention_days: 3, effective_retention_days: 3 };
    assert.deepEqual(await change({ sample_rate: 7, retention_days: 3 }), told);
    const other = await world.token({ tenant: world.rival });
    assert.deepEqual((await world.call("GET", path, { token: other })).json, defaults);
    const refusedOnes = [{ retention_days: 21 }, { sample_rate: 1 }, { mode: "some" }, {}, { other: 1 }];
    for (const wrong of refusedOnes)
      assertProblem(await world.call("PATCH", path, { token, body: wrong }), "invalid_body");
    assert.deepEqual((await world.call("GET", path, { token })).json, told);
  });

  test("the audit log has the change; developers and viewers only read", async () => {
    const { id, token } = await world.credential();
    await world.call("PATCH", path, { token, body: { mode: "all" } });
    const { items } = (await world.call("GET", "/v1/audit?limit=1", { token })).json as {
      items: Record<string, unknown>[];
    };
    assert.deepEqual([items[0]?.["action"], items[0]?.["actor"]], ["access_log.update", { kind: "credential", id }]);
    for (const by of ["developer", "viewer"] as const) {
      const person = world.person(world.acme, world.acme.people[by]);
      assert.equal((await world.call("GET", path, { token: person })).status, 200);
      assertProblem(await world.call("PATCH", path, { token: person, body }), "insufficient_scope");
    }
  });
});
