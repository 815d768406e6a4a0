import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { isoFromMs } from "#kernel/time.ts";
import { MOVING, pass } from "./testing/moving-clock.ts";
import { fresh, newMember } from "./testing/requests.ts";
import { assertProblem } from "./testing/suite.ts";
import { sharedWorld, type Answer, type World } from "./testing/world.ts";

const MINUTE_MS = 60_000;

/** A group gives its members its roles in projects. */
describe("a group", () => {
  let world: World;
  let owner: string;
  let group: string;
  let member: string;

  before(async () => {
    world = await sharedWorld(MOVING);
    owner = world.person(world.acme, world.acme.people.owner);
    group = fresh("team");
    await done("POST", "/v1/groups", { slug: group });
    member = await newMember(world, "guest");
  });
  after(() => world.close());

  const ask = (method: string, path: string, body?: unknown, token = owner): Promise<Answer> =>
    world.call(method, path, { token, ...(body === undefined ? {} : { body }) });
  const inMs = (ms: number): string => isoFromMs(world.clock.nowMs() + ms);
  const person = (): string => world.person(world.acme, member);
  const sees = async (): Promise<boolean> =>
    (await ask("GET", "/v1/projects/closed", undefined, person())).status === 200;
  const roleOf = async (): Promise<unknown> => {
    const { projects } = (await ask("GET", "/v1/me", undefined, person())).json as { projects: { role: string }[] };
    return projects[0]?.role;
  };

  async function done(method: string, path: string, body?: unknown, token?: string): Promise<Record<string, unknown>> {
    const answer = await ask(method, path, body, token);
    assert.ok(answer.status < 300, answer.text);
    return answer.json;
  }

  test("gives its role to each member, the highest of several counts, and leaving ends it at once", async () => {
    const inGroup = `/v1/groups/${group}/members/${member}`;
    await done("PUT", `/v1/projects/closed/groups/${group}`, { role: "writer" });
    assert.equal(await sees(), false);
    await done("PUT", inGroup, {});
    assert.equal(await roleOf(), "writer");
    await done("PUT", `/v1/projects/closed/members/${member}`, { role: "reader" });
    assert.equal(await roleOf(), "writer");
    await done("DELETE", inGroup);
    assert.equal(await roleOf(), "reader");
    await done("DELETE", `/v1/projects/closed/members/${member}`);
    assert.equal(await sees(), false);
  });

  test("ends with the member's end in it, and with its own end in the project", async () => {
    await done("PUT", `/v1/groups/${group}/members/${member}`, { expires_at: inMs(MINUTE_MS) });
    assert.equal(await sees(), true);
    pass(MINUTE_MS);
    assert.equal(await sees(), false);
    await done("PUT", `/v1/groups/${group}/members/${member}`, { expires_at: null });
    await done("PUT", `/v1/projects/closed/groups/${group}`, { role: "writer", expires_at: inMs(MINUTE_MS) });
    const listed = (await done("GET", "/v1/endings")) as { items: { kind: string; name: string }[] };
    assert.ok(listed.items.some(({ kind, name }) => kind === "project_group" && name === group));
    assert.equal(await sees(), true);
    pass(MINUTE_MS);
    assert.equal(await sees(), false);
    await done("PUT", `/v1/projects/closed/groups/${group}`, { role: "maintainer", expires_at: null });
    assert.equal(await sees(), true);
  });

  test("bounds the credentials of its members, which stop when they leave", async () => {
    await done("PUT", `/v1/groups/${group}/members/${member}`, {});
    await done("PUT", `/v1/projects/closed/groups/${group}`, { role: "maintainer" });
    const body = { name: "of a member", scopes: ["apps:read"], project: "closed" };
    const made = await done("POST", "/v1/credentials", body, person());
    const path = `/v1/credentials/${String((made["credential"] as { id?: string } | undefined)?.id ?? made["id"])}`;
    assert.deepEqual((await done("GET", path))["effective_scopes"], ["apps:read"]);
    const access = (await done("GET", "/v1/access?permission=apps:write&project=closed")) as {
      members: { user_id: string; allowed: boolean; project_role: string }[];
    };
    const found = access.members.find(({ user_id: id }) => id === member);
    assert.deepEqual([found?.allowed, found?.project_role], [true, "maintainer"]);
    await done("DELETE", `/v1/groups/${group}/members/${member}`);
    assert.deepEqual((await done("GET", path))["effective_scopes"], []);
    assert.equal((await done("GET", path))["state"], "idle");
  });

  test("of a private project takes members only from those who have its permissions there", async () => {
    const admin = world.person(world.acme, world.acme.people.admin);
    const own = `/v1/groups/${group}/members/${world.acme.people.admin}`;
    assertProblem(await ask("PUT", own, {}, admin), "forbidden");
    assertProblem(await ask("PATCH", `/v1/groups/${group}`, { claim: "everybody" }, admin), "forbidden");
    assertProblem(await ask("PUT", own, {}, await world.token()), "forbidden");
    await done("PUT", own, {});
    await done("DELETE", own, undefined, admin);
    const other = await newMember(world, "owner");
    const outside = world.person(world.acme, other);
    await done("PATCH", `/v1/groups/${group}`, { claim: fresh("claim") });
    assertProblem(await ask("PATCH", `/v1/groups/${group}`, { claim: fresh("claim") }, outside), "forbidden");
    await done("PATCH", `/v1/groups/${group}`, { claim: null }, outside);
    await done("DELETE", `/v1/members/${other}`);
  });

  test("takes nobody for longer than the one who adds them has its permissions", async () => {
    const admin = world.person(world.acme, world.acme.people.admin);
    const own = `/v1/groups/${group}/members/${world.acme.people.admin}`;
    const direct = `/v1/projects/closed/members/${world.acme.people.admin}`;
    const soon = inMs(MINUTE_MS);
    await done("PUT", direct, { role: "maintainer", expires_at: soon });
    assertProblem(await ask("PUT", direct, { role: "maintainer", expires_at: null }, admin), "forbidden");
    assertProblem(await ask("PUT", own, {}, admin), "forbidden");
    assertProblem(await ask("PUT", own, { expires_at: inMs(2 * MINUTE_MS) }, admin), "forbidden");
    await done("PUT", own, { expires_at: soon }, admin);
    await done("DELETE", own, undefined, admin);
    await done("DELETE", direct);
  });

  test("loses a member who leaves the organization, and all of them when it is deleted", async () => {
    await done("PUT", `/v1/groups/${group}/members/${member}`, {});
    const leaver = await newMember(world, "viewer");
    await done("PUT", `/v1/groups/${group}/members/${leaver}`, {});
    await done("DELETE", `/v1/members/${leaver}`);
    const { items } = (await done("GET", `/v1/groups/${group}/members`)) as { items: { user_id: string }[] };
    assert.deepEqual(
      items.map(({ user_id: id }) => id),
      [member],
    );
    await done("DELETE", `/v1/groups/${group}`);
    assert.equal(await sees(), false);
  });
});
