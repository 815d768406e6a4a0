import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { ORGANIZATION_ROUTES, SCOPES } from "@mooring/contract";
import { newId } from "#kernel/ids.ts";
import { pair } from "../testing/requests.ts";
import { testOperation } from "../testing/suite.ts";
import { sharedWorld, type World } from "../testing/world.ts";

type Item = Record<string, unknown> & {
  readonly request_id: string;
  readonly client_request_id: string | null;
  readonly decided_by: Record<string, unknown>;
  readonly would_allow: readonly Record<string, unknown>[];
  readonly actor: Record<string, unknown> | null;
  readonly more: { readonly same_minute: number };
};

/** Sends a request that is refused, and returns its id. */
async function refusedBy(world: World, token: string, path = "/v1/credentials"): Promise<string> {
  const answer = await world.call("GET", path, { token });
  assert.ok(answer.status >= 400, answer.text);
  return String(answer.json["request_id"]);
}

const NOTHING = { scopes: ["org:read"] } as const;

testOperation(ORGANIZATION_ROUTES.listRequests, { ask: () => ({ path: "/v1/requests?limit=5" }) });

testOperation(ORGANIZATION_ROUTES.getRequest, {
  ask: async (world) => ({ path: `/v1/requests/${await refusedBy(world, await world.token(NOTHING))}` }),
  hidden: async (world) => {
    const elsewhere = await refusedBy(world, await world.token({ ...NOTHING, tenant: world.rival }));
    const ofAnother = await refusedBy(world, await world.token(NOTHING));
    const reader = await world.token(NOTHING);
    return [
      pair(elsewhere, (id) => ({ path: `/v1/requests/${id}` })),
      pair(ofAnother, (id) => ({ path: `/v1/requests/${id}`, token: reader })),
    ];
  },
});

describe("a refused request", () => {
  let world: World;
  let reader: string;

  before(async () => {
    world = await sharedWorld();
    reader = await world.token({ scopes: SCOPES });
  });
  after(() => world.close());

  async function explained(id: string, by = reader): Promise<Item[]> {
    const answer = await world.call("GET", `/v1/requests/${id}`, { token: by });
    assert.equal(answer.status, 200, answer.text);
    return answer.json["items"] as Item[];
  }

  async function one(id: string, by = reader): Promise<Item> {
    const [item, ...others] = await explained(id, by);
    assert.equal(others.length, 0);
    return item ?? assert.fail();
  }

  test("names its caller, the rule and what would allow it", async () => {
    const { id, token: own } = await world.credential(NOTHING);
    const item = await one(await refusedBy(world, own));
    const { actor, decided_by: decided, would_allow: acts, surface, operation, status, code } = item;
    assert.deepEqual(
      { surface, operation, status, code },
      { surface: "organization", operation: "listCredentials", status: 403, code: "insufficient_scope" },
    );
    assert.equal(actor?.["kind"], "credential");
    assert.equal(actor["id"], id);
    assert.equal(typeof actor["name"], "string");
    assert.equal(decided["rule"], "scope");
    assert.equal(decided["permission"], "credentials:read");
    assert.deepEqual(decided["held"], ["org:read"]);
    assert.deepEqual(
      acts.map(({ act, to, value }) => ({ act, to, value })),
      [{ act: "grant_scope", to: id, value: "credentials:read" }],
    );
  });

  test("is found by the id that its caller sent, each under its own id", async () => {
    const own = await world.token(NOTHING);
    const sent = "id-of-the-caller-1";
    const headers = { "request-id": sent };
    for (const path of ["/v1/credentials", "/v1/audit"]) await world.call("GET", path, { token: own, headers });
    const stranger = await world.token({ ...NOTHING, tenant: world.rival });
    await world.call("GET", "/v1/credentials", { token: stranger, headers });
    const items = await explained(sent);
    assert.deepEqual(new Set(items.map(({ operation }) => operation)), new Set(["listAudit", "listCredentials"]));
    assert.deepEqual([...new Set(items.map((item) => item.client_request_id))], [sent]);
    for (const { request_id: id, operation } of items) assert.equal((await one(id))["operation"], operation);
  });

  test("is read by its caller, and by nobody else without the permission", async () => {
    const own = await world.token(NOTHING);
    const id = await refusedBy(world, own);
    assert.equal((await one(id, own)).request_id, id);
    const other = await world.call("GET", `/v1/requests/${id}`, { token: await world.token(NOTHING) });
    assert.equal(other.status, 404);
  });

  test("names a private project only to those who see it", async () => {
    const own = await world.token({ scopes: SCOPES });
    const { id: project } = world.acme.closed;
    const id = await refusedBy(world, own, `/v1/projects/${project}`);
    const absent = await refusedBy(world, own, `/v1/projects/${newId("proj", 1)}`);
    const facts = ({ decided_by: decided, would_allow: acts, detail, code }: Item) => ({ decided, acts, detail, code });
    assert.deepEqual(facts(await one(id)), facts(await one(absent)), "a credential does not see it");
    const owner = world.person(world.acme, world.acme.people.owner);
    const { decided_by: decided, would_allow: acts } = await one(id, owner);
    assert.equal(decided["rule"], "private_project");
    assert.deepEqual(decided["resource"], { kind: "project", id: project, project_id: project });
    assert.equal(acts[0]?.["act"], "use_project_credential");
  });

  test("does not tell whether another organization has a resource", async () => {
    const own = await world.token({ scopes: SCOPES });
    const facts = async (project: string): Promise<object> => {
      const { decided_by: decided, would_allow: acts } = await one(
        await refusedBy(world, own, `/v1/projects/${project}`),
      );
      return { decided, acts };
    };
    assert.deepEqual(await facts(world.rival.open.id), await facts(newId("proj", 1)));
  });

  test("shares a record with equal refusals of the same minute, and keeps its own id", async () => {
    const own = await world.token(NOTHING);
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) ids.push(await refusedBy(world, own));
    for (const id of ids) assert.equal((await one(id)).request_id, id);
  });
});
