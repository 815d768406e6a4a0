import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { TELEMETRY_SETTINGS_ROUTES } from "@mooring/contract";
import { boundToken } from "../../organization/testing/requests.ts";
import { assertProblem, testOperation } from "../../organization/testing/suite.ts";
import { sharedWorld, type World } from "../../organization/testing/world.ts";
import { hiddenProjects } from "../testing/rules.ts";
import { withTelemetry } from "../testing/settings.ts";

const path = "/v1/ingest-rules/preview";
const body = { type: "logs", action: "drop" };
const WORLD = withTelemetry();

testOperation(
  TELEMETRY_SETTINGS_ROUTES.previewIngestRule,
  {
    ask: () => ({ path, body }),
    hidden: (world) => hiddenProjects(world, (project) => ({ path, body: { ...body, project } })),
    problems: { forbidden: async (world) => ({ path, body, token: await boundToken(world) }) },
  },
  WORLD,
);

describe("a preview", () => {
  let world: World;
  before(async () => {
    world = await sharedWorld(WORLD);
  });
  after(() => world.close());

  test("needs the permission to read rows, and a rule whose parts fit together", async () => {
    const token = await world.token({ scopes: ["org:write"] });
    assertProblem(await world.call("POST", path, { token, body }), "insufficient_scope");
    const wrong = await world.call("POST", path, { token: await world.token(), body: { ...body, masks: ["email"] } });
    assertProblem(wrong, "invalid_body");
    assert.deepEqual((wrong.json["errors"] as { pointer: string }[])[0]?.pointer, "/masks");
  });
});
