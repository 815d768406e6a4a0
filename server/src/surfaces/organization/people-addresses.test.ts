import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { SYSTEM, updateOrganization } from "#domain/organizations/index.ts";
import { deps, fresh } from "./testing/requests.ts";
import { assertProblem } from "./testing/suite.ts";
import { sharedWorld, type Answer, type Tenant, type World } from "./testing/world.ts";

const HERE = ["127.0.0.0/8", "::1"];
const ELSEWHERE = ["192.0.2.0/24"];

/**
 * The organization's list of addresses binds programs, people or both, and its author is never locked out. Tests of
 * people outside it are in the portal's session.test.ts, because the people of this world have no sessions.
 */
describe("the organization's list of addresses", () => {
  let world: World;
  let tenant: Tenant;
  let owner: string;
  let program: string;

  before(async () => {
    world = await sharedWorld();
    tenant = await world.tenant(fresh("bound"));
    owner = world.person(tenant, tenant.people.owner);
    program = await world.token({ tenant });
  });
  after(() => world.close());

  const set = (token: string, policy: object): Promise<Answer> =>
    world.call("PATCH", "/v1/organization", { token, body: { policy } });
  /** As the installation itself, which no list binds. */
  const force = (policy: object): Promise<unknown> =>
    updateOrganization(deps(world), SYSTEM, tenant.id, { change: { policy }, ifMatch: undefined });
  const status = async (token: string): Promise<number> =>
    (await world.call("GET", "/v1/organization", { token })).status;

  test("of an organization from before binds programs only", async () => {
    await world.metadata.write((tx) =>
      tx
        .updateTable("organization")
        .set({ policy: JSON.stringify({ allowed_addresses: ELSEWHERE }) })
        .where("id", "=", tenant.id)
        .execute(),
    );
    const { json } = await world.call("GET", "/v1/organization", { token: owner });
    assert.equal((json["policy"] as { allowed_addresses_for: string }).allowed_addresses_for, "programs");
  });

  test("for people binds no program; for both it does", async () => {
    await force({ allowed_addresses: ELSEWHERE, allowed_addresses_for: "people" });
    assert.equal(await status(program), 200);
    for (const bound of ["both", "programs"]) {
      await force({ allowed_addresses_for: bound });
      assert.equal(await status(program), 403);
    }
    await force({ allowed_addresses: null });
    assert.equal(await status(program), 200);
  });

  test("never excludes the person or program that sets it", async () => {
    await force({ allowed_addresses: null, allowed_addresses_for: "programs" });
    for (const bound of ["people", "both"])
      assertProblem(await set(owner, { allowed_addresses: ELSEWHERE, allowed_addresses_for: bound }), "conflict");
    assertProblem(await set(program, { allowed_addresses: ELSEWHERE }), "conflict");
    assert.equal((await set(owner, { allowed_addresses: ELSEWHERE })).status, 200, "it does not bind the owner");
    assertProblem(await set(owner, { allowed_addresses_for: "both" }), "conflict");
    assert.equal((await set(owner, { allowed_addresses: HERE, allowed_addresses_for: "both" })).status, 200);
    assert.equal(await status(program), 200);
  });

  test("for people becomes narrower by a person only", async () => {
    await force({ allowed_addresses: null, allowed_addresses_for: "programs" });
    const both = { allowed_addresses: HERE, allowed_addresses_for: "both" };
    assertProblem(await set(program, both), "forbidden");
    await force(both);
    assertProblem(await set(program, { allowed_addresses: ["127.0.0.1", "::1"] }), "forbidden");
    assert.equal((await set(program, { allowed_addresses: [...HERE, ...ELSEWHERE] })).status, 200);
    assert.equal((await set(program, { allowed_addresses_for: "programs" })).status, 200);
  });
});
