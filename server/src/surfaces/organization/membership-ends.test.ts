import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { acceptInvitation } from "#domain/organizations/index.ts";
import { isoFromMs } from "#kernel/time.ts";
import { MOVING, pass } from "./testing/moving-clock.ts";
import { deps, fresh, newMember } from "./testing/requests.ts";
import { assertProblem } from "./testing/suite.ts";
import { PASSWORD, sharedWorld, type Answer, type Tenant, type World } from "./testing/world.ts";

const MINUTE_MS = 60_000;

/** The end of a membership takes effect at the next request: for people, and for credentials that depend on them. */
describe("the end of a membership", () => {
  let world: World;

  before(async () => {
    world = await sharedWorld(MOVING);
  });
  after(() => world.close());

  const inMs = (ms: number): string => isoFromMs(world.clock.nowMs() + ms);
  const owner = (): string => world.person(world.acme, world.acme.people.owner);
  const ask = (method: string, path: string, token: string, body?: unknown): Promise<Answer> =>
    world.call(method, path, { token, ...(body === undefined ? {} : { body }) });
  const as = (userId: string): Tenant => ({ ...world.acme, people: { ...world.acme.people, developer: userId } });
  const developer = (): Promise<string> => newMember(world, "developer");

  async function done(method: string, path: string, token: string, body?: unknown): Promise<Record<string, unknown>> {
    const answer = await ask(method, path, token, body);
    assert.ok(answer.status < 300, answer.text);
    return answer.json;
  }

  test("a person gets 401 from then on, their credential 403 with the reason, and a later end gives both back", async () => {
    const userId = await developer();
    const person = world.person(world.acme, userId);
    const { id, token } = await world.credential({ tenant: as(userId), by: "developer", scopes: ["files:read"] });
    const changed = await done("PATCH", `/v1/members/${userId}`, owner(), { expires_at: inMs(MINUTE_MS) });
    assert.ok(Date.parse(String(changed["expires_at"])) > world.clock.nowMs());
    assert.equal((await ask("GET", "/v1/apps", person)).status, 200);
    assert.equal((await ask("GET", "/v1/files", token)).status !== 401, true);
    pass(MINUTE_MS);
    assertProblem(await ask("GET", "/v1/apps", person), "invalid_token");
    const refused = await ask("GET", "/v1/credentials", token);
    assertProblem(refused, "insufficient_scope");
    const view = await done("GET", `/v1/credentials/${id}`, owner());
    assert.equal(view["state"], "idle");
    assert.match(String(view["state_reason"]), /membership of the person responsible for it ended on /);
    const listed = await done("GET", "/v1/members?limit=100", owner());
    const row = (listed["items"] as { user_id: string; expires_at: string }[]).find((item) => item.user_id === userId);
    assert.ok(Date.parse(String(row?.expires_at)) <= world.clock.nowMs());
    await done("PATCH", `/v1/members/${userId}`, owner(), { expires_at: null });
    assert.equal((await ask("GET", "/v1/apps", person)).status, 200);
    assertProblem(await ask("GET", "/v1/me", token), "invalid_token");
  });

  test("the end of a role in a project hides a private project, also from a credential there", async () => {
    const userId = await developer();
    const path = `/v1/projects/${world.acme.closed.id}`;
    const body = { role: "writer", expires_at: inMs(MINUTE_MS) };
    const made = await done("PUT", `${path}/members/${userId}`, owner(), body);
    assert.equal(made["expires_at"], body.expires_at);
    const person = world.person(world.acme, userId);
    assert.equal((await ask("GET", path, person)).status, 200);
    const kept = await done("PUT", `${path}/members/${userId}`, owner(), { role: "maintainer" });
    assert.equal(kept["expires_at"], body.expires_at, "an end stays unless the request names another one");
    const { id } = await world.credential({
      tenant: as(userId),
      by: "developer",
      scopes: ["apps:read"],
      projectId: world.acme.closed.id,
    });
    pass(MINUTE_MS);
    assertProblem(await ask("GET", path, person), "not_found");
    const view = await done("GET", `/v1/credentials/${id}`, owner());
    assert.deepEqual(view["effective_scopes"], []);
  });

  test("an invitation gives a membership with an end, and who comes back gets nothing back", async () => {
    const email = `${fresh("contractor")}@example.org`;
    const invitation = { email, role: "developer", membership_expires_at: inMs(2 * MINUTE_MS), send_email: false };
    const made = await done("POST", "/v1/invitations", owner(), invitation);
    assert.equal(made["membership_expires_at"], invitation.membership_expires_at);
    const accept = async (link: unknown): Promise<string> => {
      const body = { token: String(link).split("#")[1] ?? "", name: "Contractor", password: PASSWORD };
      return (await acceptInvitation(deps(world), body, { ip: null, requestId: null })).person.id;
    };
    const userId = await accept(made["link"]);
    const { id } = await world.credential({ tenant: as(userId), by: "developer", scopes: ["files:read"] });
    assertProblem(await ask("POST", "/v1/invitations", owner(), { email, role: "viewer" }), "conflict");
    pass(2 * MINUTE_MS);
    assertProblem(await ask("GET", "/v1/apps", world.person(world.acme, userId)), "invalid_token");
    const again = await done("POST", "/v1/invitations", owner(), { email, role: "developer", send_email: false });
    assert.equal(await accept(again["link"]), userId);
    assert.equal((await ask("GET", "/v1/apps", world.person(world.acme, userId))).status, 200);
    assert.deepEqual((await done("GET", `/v1/credentials/${id}`, owner()))["effective_scopes"], []);
  });

  test("an end must be in the future, in any time zone", async () => {
    const userId = await developer();
    const path = `/v1/members/${userId}`;
    assertProblem(await ask("PATCH", path, owner(), { expires_at: inMs(-1) }), "invalid_body");
    const local = new Date(world.clock.nowMs() + 5.5 * 60 * MINUTE_MS - MINUTE_MS).toISOString().replace("Z", "+05:30");
    assertProblem(await ask("PATCH", path, owner(), { expires_at: local }), "invalid_body");
    const later = new Date(world.clock.nowMs() + 5.5 * 60 * MINUTE_MS + MINUTE_MS).toISOString().replace("Z", "+05:30");
    const { expires_at: end } = await done("PATCH", path, owner(), { expires_at: later });
    assert.equal(end, isoFromMs(Date.parse(later)));
    const project = `/v1/projects/open/members/${userId}`;
    assertProblem(await ask("PUT", project, owner(), { role: "reader", expires_at: inMs(-1) }), "invalid_body");
    const email = `${fresh("late")}@example.org`;
    const body = { email, role: "viewer", membership_expires_at: inMs(-1) };
    assertProblem(await ask("POST", "/v1/invitations", owner(), body), "invalid_body");
  });

  test("nobody gives a membership that ends later than their own, not even to themselves", async () => {
    const admin = await newMember(world, "admin");
    const other = await developer();
    await done("PATCH", `/v1/members/${admin}`, owner(), { expires_at: inMs(10 * MINUTE_MS) });
    await done("PATCH", `/v1/members/${other}`, owner(), { expires_at: inMs(5 * MINUTE_MS) });
    const token = world.person(world.acme, admin);
    for (const expires_at of [null, inMs(20 * MINUTE_MS)]) {
      for (const id of [admin, other])
        assertProblem(await ask("PATCH", `/v1/members/${id}`, token, { expires_at }), "forbidden");
      const role = "reader";
      assertProblem(await ask("PUT", `/v1/projects/open/members/${other}`, token, { role, expires_at }), "forbidden");
    }
    assertProblem(await ask("POST", "/v1/invitations", token, { email: "x@example.org", role: "viewer" }), "forbidden");
    await done("PATCH", `/v1/members/${other}`, token, { expires_at: inMs(6 * MINUTE_MS) });
  });

  test("the last owner without an end keeps it, and so does the last maintainer of a private project", async () => {
    const tenant = await world.tenant("ending");
    const first = world.person(tenant, tenant.people.owner);
    const path = `/v1/members/${tenant.people.owner}`;
    assertProblem(await ask("PATCH", path, first, { expires_at: inMs(MINUTE_MS) }), "conflict");
    const second = await newMember(world, "owner", tenant);
    await done("PATCH", `/v1/members/${second}`, first, { expires_at: inMs(MINUTE_MS) });
    assertProblem(await ask("PATCH", path, first, { role: "admin" }), "conflict");
    assertProblem(await ask("DELETE", path, first), "conflict");
    const maintainer = `/v1/projects/closed/members/${tenant.people.owner}`;
    const body = { role: "maintainer", expires_at: inMs(MINUTE_MS) };
    assertProblem(await ask("PUT", maintainer, first, body), "conflict");
  });

  test("the list of endings has what ends soon and what has ended, without what the caller may not see", async () => {
    const tenant = await world.tenant("endings");
    const first = world.person(tenant, tenant.people.owner);
    await done("PATCH", `/v1/members/${tenant.people.viewer}`, first, { expires_at: inMs(MINUTE_MS) });
    await done("PATCH", `/v1/members/${tenant.people.developer}`, first, { expires_at: inMs(40 * 86_400_000) });
    const inProject = { role: "reader", expires_at: inMs(2 * MINUTE_MS) };
    await done("PUT", `/v1/projects/closed/members/${tenant.people.developer}`, first, inProject);
    const invited = { email: "soon@example.org", role: "viewer", membership_expires_at: inMs(3 * MINUTE_MS) };
    await done("POST", "/v1/invitations", first, invited);
    const kinds = async (token: string, query = ""): Promise<string[]> => {
      const { items } = (await done("GET", `/v1/endings${query}`, token)) as {
        items: { kind: string; ended: boolean }[];
      };
      return items.map(({ kind, ended }) => `${kind}${ended ? " ended" : ""}`);
    };
    assert.deepEqual(await kinds(first), ["member", "project_member", "invitation"]);
    pass(MINUTE_MS);
    assert.deepEqual(await kinds(first), ["member ended", "project_member", "invitation"]);
    assert.equal((await kinds(first, `?before=${inMs(60 * 86_400_000)}`)).length, 4);
    const developer = world.person(tenant, tenant.people.developer);
    assert.deepEqual(await kinds(developer), ["member ended", "project_member"], "no members:write: no invitations");
    assert.deepEqual(await kinds(world.person(tenant, tenant.people.admin)), ["member ended", "invitation"]);
  });
});
