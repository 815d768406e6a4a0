import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { TELEMETRY_SETTINGS_ROUTES } from "@mooring/contract";
import { boundToken } from "../../organization/testing/requests.ts";
import { assertProblem, testOperation } from "../../organization/testing/suite.ts";
import { createWorld, type World } from "../../organization/testing/world.ts";
import { storeLog, withTelemetry } from "../testing/settings.ts";

const path = "/v1/telemetry/retention-rules";
const rule = { name: "Debug", type: "logs", match: { level: "debug" }, days: 2 };
const body = { rules: [rule] };
const WORLD = withTelemetry({ daysMax: 365 });

testOperation(
  TELEMETRY_SETTINGS_ROUTES.getRetentionRules,
  { ask: async () => ({ path }), problems: { forbidden: async (world) => ({ path, token: await boundToken(world) }) } },
  WORLD,
);

testOperation(
  TELEMETRY_SETTINGS_ROUTES.updateRetentionRules,
  {
    ask: async () => ({ path, body }),
    problems: { forbidden: async (world) => ({ path, body, token: await boundToken(world) }) },
  },
  WORLD,
);

testOperation(
  TELEMETRY_SETTINGS_ROUTES.previewRetentionRules,
  {
    ask: async () => ({ path: `${path}/preview`, body }),
    problems: {
      forbidden: async (world) => ({ path: `${path}/preview`, body, token: await boundToken(world) }),
    },
  },
  WORLD,
);

describe("rules of retention", () => {
  let world: World;
  before(async () => {
    world = await createWorld(WORLD);
  });
  after(() => world.close());

  test("replaced rules still count for a week, and sending them again undoes the change", async () => {
    const token = await world.token();
    await storeLog(world, world.acme.id, "kept");
    const preview = await world.call("POST", `${path}/preview`, {
      token,
      body: { rules: [], retention_days: { logs: 1 } },
    });
    const [logs] = preview.json["types"] as Record<string, unknown>[];
    assert.deepEqual([logs?.["rows"], logs?.["rows_past"], logs?.["share"]], [1, 1, 1], preview.text);
    const first = await world.call("PUT", path, { token, body });
    assert.equal(first.status, 200, first.text);
    const shorter = await world.call("PUT", path, { token, body: { rules: [], retention_days: { logs: 1 } } });
    const former = shorter.json["former"] as { rules: unknown; retention_days: { logs: number | null } }[];
    assert.deepEqual(
      former.map((each) => [each.rules, each.retention_days.logs]),
      [
        [[], null],
        [[rule], null],
      ],
    );
    const undone = await world.call("PUT", path, { token, body: { ...body, retention_days: { logs: null } } });
    assert.deepEqual([undone.json["rules"], (undone.json["former"] as unknown[]).length], [[rule], 2]);
    const settings = await world.call("GET", "/v1/telemetry/settings", { token });
    assert.deepEqual(settings.json["retention_days"], { logs: null, metrics: null, traces: null });
    const other = await world.call("GET", path, { token: await world.token({ tenant: world.rival }) });
    assert.deepEqual([other.json["rules"], other.json["former"]], [[], []]);
  });

  test("a version that is not the current one is refused", async () => {
    const token = await world.token();
    const read = await world.call("GET", path, { token });
    const etag = read.headers.get("etag") ?? "";
    const headers = { "if-match": etag };
    const days = { rules: [{ ...rule, days: 3 }] };
    assert.equal((await world.call("PUT", path, { token, headers, body: days })).status, 200);
    assertProblem(await world.call("PUT", path, { token, headers, body }), "concurrent_update");
  });

  test("rules whose members the type lacks, too many days, and more than four numbers of days are refused", async () => {
    const token = await world.token();
    const cases: [object, string][] = [
      [{ rules: [{ ...rule, type: "traces" }] }, "/rules/0/match/level"],
      [{ rules: [{ ...rule, match: {} }] }, "/rules/0/match"],
      [{ rules: [{ ...rule, days: 366 }] }, "/rules/0/days"],
      [{ rules: [], retention_days: { logs: 366 } }, "/retention_days/logs"],
      [{ rules: [1, 2, 3, 4, 5].map((days) => ({ ...rule, days })) }, "/rules"],
      [{ rules: Array.from({ length: 33 }, () => rule) }, "/rules"],
    ];
    for (const [wrong, pointer] of cases) {
      const answer = await world.call("PUT", path, { token, body: wrong });
      assertProblem(answer, "invalid_body");
      const pointers = (answer.json["errors"] as { pointer: string }[]).map((place) => place.pointer);
      assert.ok(pointers.includes(pointer), `${pointer} is not among ${pointers.join()}`);
    }
  });
});
