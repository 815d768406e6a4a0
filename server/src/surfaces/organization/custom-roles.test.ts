import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { PROJECT_ROLE_SCOPES, SCOPES, type Scope } from "@mooring/contract";
import { MOVING } from "./testing/moving-clock.ts";
import { fresh, newMember } from "./testing/requests.ts";
import { assertProblem } from "./testing/suite.ts";
import { sharedWorld, type Answer, type World } from "./testing/world.ts";

/** A custom role gives exactly its scopes, and nobody gains permissions by it that nobody gave them. */
describe("a custom role", () => {
  let world: World;
  let owner: string;
  let admin: string;
  let member: string;

  before(async () => {
    world = await sharedWorld(MOVING);
    owner = world.person(world.acme, world.acme.people.owner);
    admin = world.person(world.acme, world.acme.people.admin);
    member = await newMember(world, "guest");
  });
  after(() => world.close());

  const as = (userId: string): string => world.person(world.acme, userId);
  const ask = (method: string, path: string, body?: unknown, token = owner): Promise<Answer> =>
    world.call(method, path, { token, ...(body === undefined ? {} : { body }) });
  async function done(method: string, path: string, body?: unknown, token?: string): Promise<Record<string, unknown>> {
    const answer = await ask(method, path, body, token);
    assert.ok(answer.status < 300, answer.text);
    return answer.json;
  }
  async function newRole(kind: "organization" | "project", scopes: readonly Scope[], token?: string): Promise<string> {
    const slug = fresh("role");
    await done("POST", "/v1/roles", { slug, kind, scopes }, token);
    return slug;
  }
  const give = (userId: string, custom_role: string, token?: string): Promise<Answer> =>
    ask("PATCH", `/v1/members/${userId}`, { role: "custom", custom_role }, token);
  const scopesOf = async (userId: string): Promise<unknown> =>
    (await done("GET", "/v1/me", undefined, as(userId)))["scopes"];

  test("gives a member exactly its scopes, from their next request on, also after a change", async () => {
    const role = await newRole("organization", ["org:read", "audit:read"]);
    const given = await give(member, role);
    assert.deepEqual([given.status, given.json["role"], given.json["custom_role"]], [200, "custom", role], given.text);
    assert.deepEqual(await scopesOf(member), ["org:read", "audit:read"]);
    await done("GET", "/v1/audit", undefined, as(member));
    assertProblem(await ask("GET", "/v1/invitations", undefined, as(member)), "insufficient_scope");
    await done("PATCH", `/v1/roles/${role}`, { scopes: ["org:read", "projects:read"] });
    assert.deepEqual(await scopesOf(member), ["org:read", "projects:read"]);
    assertProblem(await ask("GET", "/v1/audit", undefined, as(member)), "insufficient_scope");
    const refused = await ask("GET", "/v1/audit", undefined, as(member));
    assert.match(refused.text, new RegExp(`Your role ${role} does not have it`));
    const access = (await done("GET", "/v1/access?permission=projects:read")) as {
      members: { user_id: string; allowed: boolean; because: string; custom_role: string }[];
    };
    const found = access.members.find(({ user_id: id }) => id === member);
    assert.deepEqual([found?.allowed, found?.because, found?.custom_role], [true, `role ${role}`, role]);
    await done("PATCH", `/v1/members/${member}`, { role: "guest" });
    await done("DELETE", `/v1/roles/${role}`);
  });

  test("is in an invitation, and can't be deleted while it is used", async () => {
    const role = await newRole("organization", ["org:read"]);
    const email = `${fresh("invited")}@example.org`;
    const invitation = await done("POST", "/v1/invitations", { email, role: "custom", custom_role: role });
    assert.equal(invitation["custom_role"], role);
    assertProblem(await ask("DELETE", `/v1/roles/${role}`), "conflict");
    const [, token = ""] = String(invitation["link"]).split("#");
    const accepted = await world.call("POST", "/v1/invitations/accept", {
      body: { token, name: "Invited", password: "correct horse battery" },
    });
    const { id } = accepted.json["user"] as { id: string };
    assert.deepEqual(await scopesOf(id), ["org:read"]);
    assertProblem(await ask("DELETE", `/v1/roles/${role}`), "conflict");
    await done("DELETE", `/v1/members/${id}`);
    await done("DELETE", `/v1/roles/${role}`);
  });

  test("in a project gives its scopes there, by oneself and by a group, and never more than a maintainer has", async () => {
    const role = await newRole("project", ["files:read", "projects:read"]);
    const there = async (): Promise<{ custom_role: string | null; scopes: string[] } | undefined> => {
      const { projects } = (await done("GET", "/v1/me", undefined, as(member))) as {
        projects: { slug: string; custom_role: string | null; scopes: string[] }[];
      };
      return projects.find(({ slug }) => slug === "closed");
    };
    assert.equal(await there(), undefined);
    const given = { role: "custom", custom_role: role };
    await done("PUT", `/v1/projects/closed/members/${member}`, given);
    assert.deepEqual((await there())?.scopes, ["projects:read", "files:read"]);
    assertProblem(await ask("POST", "/v1/apps", { project: "closed", slug: "x" }, as(member)), "insufficient_scope");
    await done("DELETE", `/v1/projects/closed/members/${member}`);
    const group = fresh("team");
    await done("POST", "/v1/groups", { slug: group });
    await done("PUT", `/v1/projects/closed/groups/${group}`, given);
    await done("PUT", `/v1/groups/${group}/members/${member}`, {});
    assert.deepEqual((await there())?.custom_role, role);
    assertProblem(await ask("DELETE", `/v1/roles/${role}`), "conflict");
    assertProblem(
      await ask("POST", "/v1/roles", { slug: fresh("role"), kind: "project", scopes: ["org:read"] }),
      "invalid_body",
    );
    assertProblem(await ask("PATCH", `/v1/roles/${role}`, { scopes: ["members:write"] }), "invalid_body");
    await done("DELETE", `/v1/groups/${group}`);
    assert.equal(await there(), undefined);
    await done("DELETE", `/v1/roles/${role}`);
  });

  test("bounds the credentials of its people, and their tokens never have it", async () => {
    const role = await newRole("organization", ["org:read", "credentials:read", "credentials:write", "apps:read"]);
    assert.equal((await give(member, role)).status, 200);
    const made = await done(
      "POST",
      "/v1/credentials",
      { name: "theirs", scopes: ["apps:read", "org:read"] },
      as(member),
    );
    const path = `/v1/credentials/${String(made["id"])}`;
    assert.deepEqual((await done("GET", path))["effective_scopes"], ["org:read", "apps:read"]);
    await done("PATCH", `/v1/roles/${role}`, { scopes: ["org:read", "credentials:read"] });
    assert.deepEqual((await done("GET", path))["effective_scopes"], ["org:read"]);
    const { items } = (await done("GET", "/v1/audit?action=credential.reduced")) as {
      items: { target: { id: string } }[];
    };
    assert.ok(
      items.some(({ target }) => target.id === made["id"]),
      "the loss is in the audit log",
    );
    await done("PATCH", `/v1/members/${member}`, { role: "guest" });
    assert.deepEqual((await done("GET", path))["effective_scopes"], []);
  });

  test("with more than one has is neither created, given, nor widened", async () => {
    const strong = await newRole(
      "organization",
      SCOPES.filter((scope) => scope !== "org:write"),
    );
    const weak = await newRole("organization", ["org:read", "members:write", "projects:read"]);
    const manager = await newMember(world, "guest");
    assert.equal((await give(manager, weak)).status, 200);
    const body = { slug: fresh("role"), kind: "organization", scopes: ["audit:read"] };
    assertProblem(await ask("POST", "/v1/roles", body, as(manager)), "forbidden");
    assertProblem(await give(member, strong, as(manager)), "forbidden");
    const email = `${fresh("invited")}@example.org`;
    assertProblem(
      await ask("POST", "/v1/invitations", { email, role: "custom", custom_role: strong }, as(manager)),
      "forbidden",
    );
    assertProblem(await ask("POST", "/v1/invitations", { email, role: "viewer" }, as(manager)), "forbidden");
    const small = await newRole("organization", ["org:read"], as(manager));
    assert.equal((await give(member, small, as(manager))).status, 200);
    assertProblem(
      await ask("PATCH", `/v1/roles/${small}`, { scopes: ["org:read", "audit:read"] }, as(manager)),
      "forbidden",
    );
    await done("PATCH", `/v1/roles/${small}`, { scopes: ["org:read", "projects:read"] }, as(manager));
    await done("PATCH", `/v1/roles/${strong}`, { scopes: ["org:read"] }, as(manager));
    assertProblem(
      await ask("PATCH", `/v1/members/${world.acme.people.owner}`, { role: "guest" }, as(manager)),
      "forbidden",
    );
    await done("PATCH", `/v1/members/${member}`, { role: "guest" });
    await done("DELETE", `/v1/members/${manager}`);
  });

  test("gets members:write from owners only, and is never changed by somebody who has it", async () => {
    const scopes = ["org:read", "members:write"];
    assertProblem(
      await ask("POST", "/v1/roles", { slug: fresh("role"), kind: "organization", scopes }, admin),
      "forbidden",
    );
    const role = await newRole("organization", ["org:read"]);
    assertProblem(await ask("PATCH", `/v1/roles/${role}`, { scopes }, admin), "forbidden");
    await done("PATCH", `/v1/roles/${role}`, { scopes });
    const manager = await newMember(world, "guest");
    assert.equal((await give(manager, role)).status, 200);
    for (const change of [{ scopes: ["org:read"] }, { name: "Other" }])
      assertProblem(await ask("PATCH", `/v1/roles/${role}`, change, as(manager)), "forbidden");
    const { token } = await credentialOf(manager, scopes);
    assertProblem(await ask("PATCH", `/v1/roles/${role}`, { name: "Other" }, token), "forbidden");
    await done("DELETE", `/v1/members/${manager}`);
  });

  /** Returns a token of a new credential for which a person is responsible. */
  async function credentialOf(userId: string, scopes: readonly string[]): Promise<{ token: string }> {
    const made = await done("POST", "/v1/credentials", { name: fresh("own"), scopes });
    const id = String(made["id"]);
    await world.metadata.write((tx) =>
      tx
        .updateTable("credential")
        .set({ responsible: userId, responsible_since: world.clock.nowMs() })
        .where("id", "=", id)
        .execute(),
    );
    const origin = { ip: "127.0.0.1", requestId: "req_test" };
    const client = { clientId: String(made["client_id"]), clientSecret: String(made["client_secret"]) };
    const state = await world.identity.signIn.authenticate({ ...client, ...origin });
    return { token: (await world.identity.tokens.issuer.issue(state, origin)).accessToken };
  }

  test("of a private project is widened only by those who have its permissions there", async () => {
    const role = await newRole("project", ["projects:read"]);
    await done("PUT", `/v1/projects/closed/members/${member}`, { role: "custom", custom_role: role });
    const wider = { scopes: ["projects:read", "files:read"] };
    assertProblem(await ask("PATCH", `/v1/roles/${role}`, wider, admin), "forbidden");
    assertProblem(await ask("PATCH", `/v1/roles/${role}`, wider, await world.token()), "forbidden");
    await done("PATCH", `/v1/roles/${role}`, wider);
    await done("PATCH", `/v1/roles/${role}`, { scopes: ["projects:read"] }, admin);
    const own = `/v1/projects/closed/members/${world.acme.people.owner}`;
    assertProblem(await ask("PUT", own, { role: "custom", custom_role: role }), "conflict");
    await done("DELETE", `/v1/projects/closed/members/${member}`);
  });

  test("that may change projects makes nobody a maintainer", async () => {
    const role = await newRole("organization", ["org:read", "projects:read", "projects:write"]);
    assert.equal((await give(member, role)).status, 200);
    const slug = fresh("open");
    await done("POST", "/v1/projects", { slug, visibility: "organization" });
    const path = `/v1/projects/${slug}`;
    assertProblem(await ask("PATCH", path, { visibility: "private" }, as(member)), "conflict");
    const own = `${path}/members/${member}`;
    assertProblem(await ask("PUT", own, { role: "maintainer" }, as(member)), "forbidden");
    await done("PATCH", path, { visibility: "private" });
    assertProblem(await ask("GET", path, undefined, as(member)), "not_found");
    await done("PATCH", `/v1/members/${member}`, { role: "guest" });
  });

  test("is given only where its kind belongs, by its name, and only with the role custom", async () => {
    const ofProjects = await newRole("project", PROJECT_ROLE_SCOPES.reader);
    assertProblem(await give(member, ofProjects), "invalid_body");
    assertProblem(await give(member, "absent"), "invalid_body");
    assertProblem(await ask("PATCH", `/v1/members/${member}`, { role: "custom" }), "invalid_body");
    assertProblem(
      await ask("PATCH", `/v1/members/${member}`, { role: "viewer", custom_role: ofProjects }),
      "invalid_body",
    );
    const path = `/v1/projects/open/members/${member}`;
    assertProblem(
      await ask("PUT", path, { role: "custom", custom_role: await newRole("organization", ["org:read"]) }),
      "invalid_body",
    );
    for (const slug of ["owner", "maintainer", "custom"])
      assertProblem(
        await ask("POST", "/v1/roles", { slug, kind: "project", scopes: ["files:read"] }),
        "duplicate_slug",
      );
  });
});
