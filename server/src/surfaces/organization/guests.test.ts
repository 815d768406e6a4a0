import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { newMember } from "./testing/requests.ts";
import { assertProblem } from "./testing/suite.ts";
import { sharedWorld, type Answer, type World } from "./testing/world.ts";

/** For a guest only the projects of which they are a member exist. `projectPairs` tests each operation of a project. */
describe("a guest", () => {
  let world: World;
  let guest: string;

  before(async () => {
    world = await sharedWorld();
    guest = await newMember(world, "guest");
    const path = `/v1/projects/closed/members/${guest}`;
    const token = world.person(world.acme, world.acme.people.owner);
    const answer = await world.call("PUT", path, { token, body: { role: "reader" } });
    assert.equal(answer.status, 200, answer.text);
  });
  after(() => world.close());

  const get = (path: string): Promise<Answer> => world.call("GET", path, { token: world.person(world.acme, guest) });
  const slugs = async (path: string): Promise<string[]> => {
    const answer = await get(path);
    assert.equal(answer.status, 200, answer.text);
    return (answer.json["items"] as { slug: string }[]).map(({ slug }) => slug);
  };

  test("lists only their projects and the apps in them", async () => {
    assert.deepEqual(await slugs("/v1/projects"), ["closed"]);
    assert.deepEqual(await slugs("/v1/apps"), [world.acme.closedApp.slug]);
    const me = await get("/v1/me");
    assert.deepEqual(me.json["scopes"], []);
    assert.equal(me.json["role"], "guest");
    assert.deepEqual(
      (me.json["projects"] as { slug: string }[]).map(({ slug }) => slug),
      ["closed"],
    );
  });

  test("is refused everything of the organization", async () => {
    for (const path of [
      "/v1/organization",
      "/v1/members",
      "/v1/invitations",
      "/v1/endings",
      "/v1/access?permission=files:read",
      "/v1/audit",
      "/v1/credentials",
      "/v1/s3/keys",
    ])
      assertProblem(await get(path), "insufficient_scope");
    assertProblem(await get("/v1/projects/open"), "not_found");
    assertProblem(await get(`/v1/apps/${world.acme.openApp.id}`), "not_found");
  });

  test("who maintains a project gets the reason for an act on the organization", async () => {
    const path = `/v1/projects/closed/members/${guest}`;
    const owner = world.person(world.acme, world.acme.people.owner);
    await world.call("PUT", path, { token: owner, body: { role: "maintainer" } });
    const token = world.person(world.acme, guest);
    const answer = await world.call("POST", "/v1/projects", { token, body: { slug: "of-the-guest" } });
    assertProblem(answer, "forbidden");
    assert.equal(answer.json["decided_by"], "role");
    const made = await world.call("POST", "/v1/credentials", { token, body: { name: "x", scopes: ["files:read"] } });
    assertProblem(made, "not_found");
    const body = { name: "x", scopes: ["files:read"], project: "closed" };
    assert.equal((await world.call("POST", "/v1/credentials", { token, body })).status, 201);
  });

  test("the answer to who may do something says why a guest may not", async () => {
    const token = world.person(world.acme, world.acme.people.owner);
    const answer = await world.call("GET", "/v1/access?permission=files:read&project=open", { token });
    const members = answer.json["members"] as { user_id: string; allowed: boolean; because: string }[];
    const found = members.find(({ user_id: id }) => id === guest);
    assert.deepEqual([found?.allowed, found?.because], [false, "not a member of project open"]);
  });
});
