import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { TELEMETRY_SETTINGS_ROUTES } from "@mooring/contract";
import { boundToken, pair } from "../../organization/testing/requests.ts";
import { assertProblem, testOperation } from "../../organization/testing/suite.ts";
import { createWorld, type Tenant, type World } from "../../organization/testing/world.ts";
import { storeLog, withTelemetry } from "../testing/settings.ts";

const path = "/v1/telemetry/erasures";

testOperation(
  TELEMETRY_SETTINGS_ROUTES.listTelemetryErasures,
  { ask: () => ({ path }), problems: { forbidden: async (world) => ({ path, token: await boundToken(world) }) } },
  withTelemetry(),
);

describe("createTelemetryErasure", () => {
  const body = { types: ["logs"], match: { service: "shop" } };

  testOperation(
    TELEMETRY_SETTINGS_ROUTES.createTelemetryErasure,
    {
      ask: () => ({ path, body }),
      problems: {
        forbidden: async (world) => ({ path, body, token: await boundToken(world) }),
        invalid_sql: async () => ({ path, body: { types: ["logs"], where: "servce = 'shop'", rows_expected: 0 } }),
        more_rows_match: async (world) => {
          await storeLog(world, world.acme.id, "one more");
          return { path, body: { types: ["logs"], where: "message = 'one more'", rows_expected: 0 } };
        },
        sql_not_allowed: async () => ({ path, body: { types: ["logs"], where: "random() < 0.5", rows_expected: 0 } }),
      },
    },
    withTelemetry(),
  );

  let world: World;
  before(async () => {
    world = await createWorld(withTelemetry());
  });
  after(() => world.close());

  test("members that rows of the type lack, an empty match and a range without time are refused with a pointer", async () => {
    const token = await world.token();
    const cases: [object, string][] = [
      [{ types: ["metrics", "logs"], match: { level: "info" } }, "/match/level"],
      [{ types: ["logs"], match: { tags: { a: "b" } } }, "/match/tags"],
      [{ types: ["traces"], match: { message: "m" } }, "/match/message"],
      [{ types: ["logs"], match: {} }, "/match"],
      [{ types: ["logs"], match: { attributes: {} } }, "/match/attributes"],
      [{ types: [], match: { service: "s" } }, "/types"],
      [{ ...body, from: "2026-11-20T08:00:00Z", to: "2026-11-20T08:00:00Z" }, "/to"],
      [{ ...body, from: "9999-01-01T00:00:00Z" }, "/from"],
      [{ ...body, from: "yesterday" }, "/from"],
      [{ ...body, sql: "true" }, "/sql"],
      [{ types: ["logs"] }, "/match"],
      [{ ...body, where: "true", rows_expected: 0 }, "/match"],
      [{ types: ["logs"], where: "true" }, "/rows_expected"],
      [{ types: ["logs", "traces"], where: "true", rows_expected: 0 }, "/types"],
      [{ types: ["webhook_events"], match: { project_id: "p" } }, "/types"],
    ];
    for (const [wrong, pointer] of cases) {
      const answer = await world.call("POST", path, { token, body: wrong });
      assertProblem(answer, "invalid_body");
      const pointers = (answer.json["errors"] as { pointer: string }[]).map((place) => place.pointer);
      assert.ok(pointers.includes(pointer), `${pointer} is not among ${pointers.join()}`);
    }
  });

  test("neither the answer nor the audit log repeats the values of match, and equal requests have equal digests", async () => {
    const token = await world.token();
    const named = {
      types: ["logs", "traces"],
      match: { service: "shop", attributes: { user: "mallory@example.org" } },
    };
    const turned = {
      match: { attributes: { user: "mallory@example.org" }, service: "shop" },
      types: ["traces", "logs"],
    };
    const first = await world.call("POST", path, { token, body: named });
    const second = await world.call("POST", path, { token, body: turned });
    const other = await world.call("POST", path, { token, body: { ...named, match: { service: "shop" } } });
    assert.equal(first.status, 202, first.text);
    assert.equal(first.json["match_digest"], second.json["match_digest"]);
    assert.notEqual(first.json["match_digest"], other.json["match_digest"]);
    const audit = await world.call("GET", "/v1/audit?action=telemetry.erasure.create", { token });
    assert.equal((audit.json["items"] as unknown[]).length, 3);
    const list = await world.call("GET", `${path}?limit=2`, { token });
    assert.deepEqual(
      (list.json["items"] as { id: string }[]).map(({ id }) => id),
      [other.json["id"], second.json["id"]],
    );
    for (const { text } of [first, audit, list]) assert.ok(!text.includes("mallory"));
  });

  test("only actors who may change the organization may erase, and list erasures", async () => {
    for (const by of ["developer", "viewer"] as const) {
      const token = world.person(world.acme, world.acme.people[by]);
      assertProblem(await world.call("POST", path, { token, body }), "insufficient_scope");
      assertProblem(await world.call("GET", path, { token }), "insufficient_scope");
    }
    const token = world.person(world.acme, world.acme.people.owner);
    assert.equal((await world.call("POST", path, { token, body })).status, 202);
  });
});

describe("previewTelemetryErasure", () => {
  const body = { types: ["logs"], where: "service = 'shop'" };
  const preview = `${path}/preview`;

  testOperation(
    TELEMETRY_SETTINGS_ROUTES.previewTelemetryErasure,
    {
      ask: () => ({ path: preview, body }),
      problems: {
        forbidden: async (world) => ({ path: preview, body, token: await boundToken(world) }),
        invalid_sql: async () => ({ path: preview, body: { ...body, where: "servce = 'shop'" } }),
        sql_not_allowed: async () => ({ path: preview, body: { ...body, where: "random() < 0.5" } }),
      },
    },
    withTelemetry(),
  );
});

const pathOf = (id: string): string => `/v1/telemetry/erasures/${id}`;

async function newErasure(world: World, tenant: Tenant): Promise<string> {
  const body = { types: ["logs"], match: { service: "shop" } };
  const token = await world.token({ tenant });
  return (await world.call("POST", "/v1/telemetry/erasures", { token, body })).json["id"] as string;
}

testOperation(
  TELEMETRY_SETTINGS_ROUTES.getTelemetryErasure,
  {
    ask: async (world) => ({ path: pathOf(await newErasure(world, world.acme)) }),
    hidden: async (world) => [pair(await newErasure(world, world.rival), (id) => ({ path: pathOf(id) }))],
    problems: {
      forbidden: async (world) => ({
        path: pathOf(await newErasure(world, world.acme)),
        token: await boundToken(world),
      }),
    },
  },
  withTelemetry(),
);
