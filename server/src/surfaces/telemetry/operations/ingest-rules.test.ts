import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { TELEMETRY_SETTINGS_ROUTES } from "@mooring/contract";
import { boundToken, pair } from "../../organization/testing/requests.ts";
import { assertProblem, testOperation, type Pair } from "../../organization/testing/suite.ts";
import { sharedWorld, type Answer, type Tenant, type World } from "../../organization/testing/world.ts";
import { hiddenProjects } from "../testing/rules.ts";
import { withTelemetry } from "../testing/settings.ts";

const PATH = "/v1/ingest-rules";
const WORLD = withTelemetry();
const BODY = { name: "No debug", types: ["logs"], action: "drop", match: { severity_below: 9 } };
const path = (id: string): string => `${PATH}/${id}`;

async function newRule(world: World, tenant: Tenant = world.acme): Promise<string> {
  const answer = await world.call("POST", PATH, { token: await world.token({ tenant }), body: BODY });
  assert.equal(answer.status, 201, answer.text);
  return answer.json["id"] as string;
}

const hiddenRule =
  (body?: object) =>
  async (world: World): Promise<Pair[]> => [
    pair(await newRule(world, world.rival), (id) => ({ path: path(id), ...(body && { body }) })),
  ];

testOperation(
  TELEMETRY_SETTINGS_ROUTES.listIngestRules,
  {
    ask: () => ({ path: PATH }),
    problems: { forbidden: async (world) => ({ path: PATH, token: await boundToken(world) }) },
  },
  WORLD,
);

testOperation(
  TELEMETRY_SETTINGS_ROUTES.createIngestRule,
  {
    ask: () => ({ path: PATH, body: BODY }),
    hidden: (world) => hiddenProjects(world, (project) => ({ path: PATH, body: { ...BODY, project } })),
    problems: { forbidden: async (world) => ({ path: PATH, body: BODY, token: await boundToken(world) }) },
  },
  WORLD,
);

for (const [row, body] of [
  [TELEMETRY_SETTINGS_ROUTES.getIngestRule, undefined],
  [TELEMETRY_SETTINGS_ROUTES.updateIngestRule, { name: "New name" }],
  [TELEMETRY_SETTINGS_ROUTES.deleteIngestRule, undefined],
] as const)
  testOperation(
    row,
    {
      ask: async (world) => ({ path: path(await newRule(world)), ...(body && { body }) }),
      hidden: hiddenRule(body),
      problems: {
        forbidden: async (world) => ({
          path: path(await newRule(world)),
          ...(body && { body }),
          token: await boundToken(world),
        }),
      },
    },
    WORLD,
  );

describe("a rule", () => {
  let world: World;
  before(async () => {
    world = await sharedWorld(WORLD);
  });
  after(() => world.close());

  const send = async (method: string, to: string, body?: object): Promise<Answer> =>
    world.call(method, to, { token: await world.token(), ...(body && { body }) });

  test("is refused if its parts do not fit together", async () => {
    const cases: [object, string][] = [
      [{ action: "sample" }, "/keep_one_of"],
      [{ action: "mask" }, "/masks"],
      [{ action: "drop", masks: ["email"] }, "/masks"],
      [{ action: "mask", masks: ["email"], keep_one_of: 2 }, "/keep_one_of"],
      [{ types: ["metrics"] }, "/match/severity_below"],
      [{ types: ["logs"], match: { name: "n" } }, "/match/name"],
      [{ match: { severity_from: 9, severity_below: 9 } }, "/match/severity_below"],
      [{ match: { sql: "true" } }, "/match/sql"],
      [{ types: [] }, "/types"],
      [{ action: "sample", keep_one_of: 1 }, "/keep_one_of"],
    ];
    for (const [wrong, pointer] of cases) {
      const answer = await send("POST", PATH, { ...BODY, ...wrong });
      assertProblem(answer, "invalid_body");
      const pointers = (answer.json["errors"] as { pointer: string }[]).map((place) => place.pointer);
      assert.ok(pointers.includes(pointer), `${pointer} is not among ${pointers.join()}`);
    }
    const id = await newRule(world);
    assertProblem(await send("PATCH", path(id), { types: ["traces"] }), "invalid_body");
    assertProblem(await send("POST", PATH, { ...BODY, key_id: "cred_00000000000000000000000000" }), "not_found");
    assertProblem(await send("POST", PATH, { ...BODY, project: "nowhere" }), "not_found");
  });

  test("has the sent members, and a change keeps the others", async () => {
    const body = { ...BODY, order: 7, project: "open", action: "sample", keep_one_of: 10 };
    const made = await send("POST", PATH, body);
    assert.equal(made.status, 201, made.text);
    const id = made.json["id"] as string;
    const { project: _, ...sent } = body;
    for (const [name, value] of Object.entries(sent)) assert.deepEqual(made.json[name], value, name);
    assert.deepEqual([made.json["enabled"], made.json["rows_matched"], made.json["counted_at"]], [true, 0, null]);
    const changed = await send("PATCH", path(id), { enabled: false, match: { service: "shop" } });
    assert.deepEqual(
      [changed.json["enabled"], changed.json["match"], changed.json["keep_one_of"], changed.json["order"]],
      [false, { service: "shop" }, 10, 7],
    );
  });

  test("leaves audit entries without the values of its match", async () => {
    const made = await send("POST", PATH, { ...BODY, match: { message_contains: "mallory@example.org" } });
    const id = made.json["id"] as string;
    await send("DELETE", path(id));
    const audit = await send("GET", `/v1/audit?target=${id}`);
    const actions = (audit.json["items"] as { action: string }[]).map(({ action }) => action);
    assert.deepEqual(actions, ["ingest_rule.delete", "ingest_rule.create"]);
    assert.ok(!audit.text.includes("mallory"));
  });
});
