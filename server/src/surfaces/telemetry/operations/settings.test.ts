import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { TELEMETRY_SETTINGS_ROUTES } from "@mooring/contract";
import { boundToken } from "../../organization/testing/requests.ts";
import { assertProblem, testOperation } from "../../organization/testing/suite.ts";
import { createWorld, type World } from "../../organization/testing/world.ts";
import { withTelemetry } from "../testing/settings.ts";

describe("getTelemetrySettings", () => {
  const path = "/v1/telemetry/settings";

  testOperation(
    TELEMETRY_SETTINGS_ROUTES.getTelemetrySettings,
    { ask: () => ({ path }), problems: { forbidden: async (world) => ({ path, token: await boundToken(world) }) } },
    withTelemetry(),
  );
});

const TIMESTAMPS = { timestamps: { behind_days: null, ahead_seconds: null } };

describe("updateTelemetrySettings", () => {
  const path = "/v1/telemetry/settings";
  const body = { retention_days: { logs: 30 } };

  testOperation(
    TELEMETRY_SETTINGS_ROUTES.updateTelemetrySettings,
    {
      ask: () => ({ path, body }),
      problems: { forbidden: async (world) => ({ path, body, token: await boundToken(world) }) },
    },
    withTelemetry(),
  );

  let world: World;
  before(async () => {
    world = await createWorld(withTelemetry({ days: { logs: 14, metrics: null, traces: 90 }, daysMax: 60 }));
  });
  after(() => world.close());

  test("defaults and maximum are returned; a change applies at once, to its members only, and can be undone", async () => {
    const token = await world.token();
    const change = async (retention_days: object): Promise<unknown> =>
      (await world.call("PATCH", path, { token, body: { retention_days } })).json;
    assert.deepEqual((await world.call("GET", path, { token })).json, {
      retention_days: { logs: null, metrics: null, traces: null },
      effective_retention_days: { logs: 14, metrics: 60, traces: 60 },
      retention_days_max: 60,
      ...TIMESTAMPS,
      effective_timestamps: { behind_days: { logs: 14, metrics: 60, traces: 60 }, ahead_seconds: 3600 },
    });
    await change({ logs: 7 });
    const both = { logs: 7, metrics: 3, traces: null };
    const told = {
      retention_days: both,
      effective_retention_days: { ...both, traces: 60 },
      retention_days_max: 60,
      ...TIMESTAMPS,
      effective_timestamps: { behind_days: { logs: 7, metrics: 3, traces: 60 }, ahead_seconds: 3600 },
    };
    assert.deepEqual(await change({ metrics: 3 }), told);
    assert.deepEqual((await world.call("GET", path, { token })).json, told);
    const other = await world.token({ tenant: world.rival });
    const theirs = (await world.call("GET", path, { token: other })).json;
    assert.deepEqual(
      theirs["retention_days"],
      { logs: null, metrics: null, traces: null },
      "no other organization changes",
    );
    const back = (await change({ logs: null })) as { effective_retention_days: object };
    assert.deepEqual(back.effective_retention_days, { logs: 14, metrics: 3, traces: 60 });
  });

  test("limits of timestamps are changed alone, apply at once, and are in the audit log", async () => {
    const token = await world.token();
    const timestamps = { behind_days: 5, ahead_seconds: 60 };
    const changed = (await world.call("PATCH", path, { token, body: { timestamps } })).json;
    assert.deepEqual(changed["timestamps"], timestamps);
    const { ahead_seconds } = changed["effective_timestamps"] as { ahead_seconds: number };
    assert.equal(ahead_seconds, 60);
    const { items } = (await world.call("GET", "/v1/audit?limit=1", { token })).json as {
      items: Record<string, unknown>[];
    };
    assert.equal(items[0]?.["action"], "telemetry.timestamps.update");
    assert.deepEqual(items[0]?.["detail"], { before: { behind_days: null, ahead_seconds: null }, after: timestamps });
    const back = await world.call("PATCH", path, { token, body: { timestamps: { behind_days: null } } });
    assert.deepEqual(back.json["timestamps"], { behind_days: null, ahead_seconds: 60 });
    for (const wrong of [{ behind_days: 0 }, { ahead_seconds: -1 }, {}]) {
      assertProblem(await world.call("PATCH", path, { token, body: { timestamps: wrong } }), "invalid_body");
    }
  });

  test("more days than the maximum, none, and fractions are refused with a pointer", async () => {
    const token = await world.token();
    for (const days of [61, 0, 1.5, "7"]) {
      const answer = await world.call("PATCH", path, { token, body: { retention_days: { metrics: 1, traces: days } } });
      assertProblem(answer, "invalid_body");
      const [first] = answer.json["errors"] as { pointer: string }[];
      assert.match(first?.pointer ?? "", /^\/retention_days\/traces/);
    }
  });

  test("the audit log has the actor and the change", async () => {
    const { id, token } = await world.credential();
    await world.call("PATCH", path, { token, body: { retention_days: { traces: 21 } } });
    const { items } = (await world.call("GET", "/v1/audit?limit=1", { token })).json as {
      items: Record<string, unknown>[];
    };
    assert.equal(items[0]?.["action"], "telemetry.retention.update");
    assert.deepEqual(items[0]?.["actor"], { kind: "credential", id });
    const detail = items[0]?.["detail"] as Record<string, Record<string, unknown>> | undefined;
    assert.deepEqual([detail?.["before"]?.["traces"], detail?.["after"]?.["traces"]], [null, 21]);
  });

  test("developers and viewers may read it and not change it", async () => {
    for (const by of ["developer", "viewer"] as const) {
      const token = world.person(world.acme, world.acme.people[by]);
      assert.equal((await world.call("GET", path, { token })).status, 200);
      assertProblem(await world.call("PATCH", path, { token, body }), "insufficient_scope");
    }
  });
});

describe("getTelemetryUsage", () => {
  const path = "/v1/telemetry/usage";

  testOperation(
    TELEMETRY_SETTINGS_ROUTES.getTelemetryUsage,
    { ask: () => ({ path }), problems: { forbidden: async (world) => ({ path, token: await boundToken(world) }) } },
    withTelemetry(),
  );
});
