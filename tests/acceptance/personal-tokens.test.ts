/** Personal access tokens: the person's access to every API, within the token's scopes. */
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { eventually } from "../fixtures/process.ts";
import { useSharedServer } from "../fixtures/server.ts";
import { Person } from "../fixtures/person.ts";
import { repositoryOf, unique } from "../fixtures/registry.ts";

interface Made {
  readonly token: string;
  readonly item: { readonly id: string };
}

describe("personal access tokens", () => {
  const shared = useSharedServer();
  let owner: Person;

  before(async () => {
    owner = await Person.setUp(shared.server, shared.home.owner);
  });

  async function made(person: Person, scopes: readonly string[]): Promise<Made> {
    const body = { organization: shared.home.org.slug, name: "laptop", scopes };
    const answer = await person.call<Made>("POST", "/api/account/tokens", body);
    assert.equal(answer.status, 201, answer.text);
    return answer.body;
  }

  const call = <T = Record<string, unknown>>(token: string, method: string, path: string, json?: object) =>
    shared.server.call<T>(method, path, { token, ...(json === undefined ? {} : { json }) });

  test("every API accepts it, and the principal is the person", async () => {
    const scopes = ["telemetry:read", "telemetry:write", "files:read", "files:write", "webhooks:read", "s3:read"];
    const { token } = await made(owner, [...scopes, "registry:pull"]);
    const me = await call(token, "GET", "/v1/me");
    assert.equal(me.status, 200, me.text);
    assert.deepEqual([me.body["kind"], me.body["email"], me.body["role"]], ["person", owner.email, "owner"]);
    assert.deepEqual((me.body["scopes"] as string[]).toSorted(), [...scopes, "registry:pull"].toSorted());
    const entry = { timestamp: new Date().toISOString(), level: "info", message: "by a personal token" };
    const calls: [string, string, object?][] = [
      ["POST", "/v1/ingest/logs", { entries: [entry] }],
      ["POST", "/v1/query", { sql: "SELECT message FROM logs WHERE message = 'by a personal token'" }],
      ["POST", "/v1/upload", { filename: "a.txt", content_type: "text/plain" }],
      ["GET", "/v1/files"],
      ["GET", "/v1/webhooks"],
      ["GET", `/v1/buckets/${shared.home.app.slug}/objects`],
    ];
    for (const [method, path, json] of calls) {
      const answer = await call(token, method, path, json);
      assert.ok(answer.status >= 200 && answer.status < 300, `${method} ${path}: ${answer.status} ${answer.text}`);
    }
    const images = await fetch(`${shared.server.origin}/v2/`, {
      headers: { authorization: `Basic ${Buffer.from(`${owner.email}:${token}`).toString("base64")}` },
    });
    assert.equal(images.status, 200, "the registry takes it as a password, too");
  });

  test("it has no scope that it was not given", async () => {
    const { token } = await made(owner, ["telemetry:read"]);
    const refused = await call(token, "POST", "/v1/projects", { slug: "never" });
    assert.deepEqual([refused.status, refused.body["required_scope"]], [403, "projects:write"]);
    const hidden = await call<{ items: unknown[] }>(token, "GET", "/v1/credentials");
    assert.equal(hidden.status, 403, hidden.text);
  });

  test("it has the scopes of the person's project role only in that project", async () => {
    const viewer = await Person.invited(owner, `viewer-${Date.now()}@example.org`, "viewer");
    const projects = ["mine", "others"].map((slug) => ({ slug: `${slug}-${shared.home.org.slug}`.slice(0, 39) }));
    for (const json of projects) assert.equal((await owner.api("POST", "/v1/projects", json)).status, 201);
    const [mine, others] = projects.map(({ slug }) => slug);
    const put = await owner.api("PUT", `/v1/projects/${mine}/members/${viewer.id}`, { role: "writer" });
    assert.ok(put.status < 300, put.text);
    const { token } = await made(viewer, ["files:write", "files:read"]);
    const upload = (project: string | undefined) =>
      call(token, "POST", "/v1/upload", { filename: "a.txt", content_type: "text/plain", project });
    assert.equal((await upload(mine)).status, 200);
    assert.equal((await upload(others)).status, 403);
    const narrow = await made(viewer, ["files:read"]);
    const json = { filename: "a.txt", content_type: "text/plain", project: mine };
    assert.equal((await call(narrow.token, "POST", "/v1/upload", json)).status, 403, "the token limits the role, too");
  });

  test("it never counts as a recent sign-in (RFC 9470), though a session of the same person does", async () => {
    const { token } = await made(owner, ["credentials:write", "credentials:read", "telemetry:write"]);
    const json = { name: "by a token", scopes: ["telemetry:write"] };
    const refused = await call(token, "POST", "/v1/credentials", json);
    assert.deepEqual([refused.status, refused.body["code"]], [401, "insufficient_user_authentication"]);
    const challenge = refused.headers.get("www-authenticate") ?? "";
    assert.match(challenge, /^Bearer .*error="insufficient_user_authentication".*max_age=600$/);
    assert.equal((await owner.api("POST", "/v1/credentials", json)).status, 201);
  });

  test("the audit log shows the person, and the token that they used", async () => {
    const { token, item } = await made(owner, ["projects:write", "audit:read", "projects:read"]);
    const slug = `audited-${shared.home.org.slug}`.slice(0, 39);
    assert.equal((await call(token, "POST", "/v1/projects", { slug })).status, 201);
    interface Entry {
      readonly actor: { readonly kind: string; readonly id: string };
      readonly detail: Record<string, unknown>;
    }
    const { body } = await call<{ items: Entry[] }>(token, "GET", "/v1/audit?action=project.create&limit=1");
    const [entry] = body.items;
    assert.deepEqual([entry?.actor, entry?.detail["via"]], [{ kind: "person", id: owner.id }, item.id]);
  });

  test("the audit log shows the person of a push, too", async () => {
    const { server, home } = shared;
    const { token, item } = await made(owner, ["registry:pull", "registry:push"]);
    const name = `orgs/${home.org.slug}/${home.app.slug}`;
    const client = { client_id: owner.email, client_secret: token };
    const repository = await repositoryOf(server, client, name, "pull,push");
    await repository.image([], { tag: unique("by-person-") });
    const { body } = await owner.api<{ items: { actor: object; detail: Record<string, unknown> }[] }>(
      "GET",
      "/v1/audit?action=image.push&limit=1",
    );
    const [entry] = body.items;
    assert.deepEqual([entry?.actor, entry?.detail["via"]], [{ kind: "person", id: owner.id }, item.id]);
  });

  test("its revocation, a lower role and a removal count within a second", async () => {
    const person = await Person.invited(owner, `leaver-${Date.now()}@example.org`, "admin");
    const [first, second] = [await made(person, ["org:write", "org:read"]), await made(person, ["org:read"])];
    assert.equal((await call(second.token, "GET", "/v1/organization")).status, 200);
    assert.equal((await person.call("DELETE", `/api/account/tokens/${second.item.id}`)).status, 204);
    await within(async () => (await call(second.token, "GET", "/v1/organization")).status === 401);
    const rename = () => call(first.token, "PATCH", "/v1/organization", { name: "Renamed by a token" });
    assert.equal((await rename()).status, 401, "a policy of the organization needs a recent sign-in");
    assert.equal((await owner.api("PATCH", `/v1/members/${person.id}`, { role: "viewer" })).status, 200);
    await within(async () => (await rename()).status === 403);
    assert.equal((await owner.api("DELETE", `/v1/members/${person.id}`)).status, 204);
    await within(async () => (await call(first.token, "GET", "/v1/me")).status === 401);
  });

  test("a token that this server did not create is refused, and no log has a token", async () => {
    const { token } = await made(owner, ["org:read"]);
    for (const wrong of ["mrpat_x", `${token.slice(0, -1)}!`, token.replace(/.{6}$/, "000000")]) {
      const refused = await call(wrong, "GET", "/v1/me");
      assert.equal(refused.status, 401, wrong.slice(0, 8));
    }
    const { server } = shared;
    assert.ok(!server.stderr().includes(token) && !server.stdout().includes(token));
  });
});

/** A change counts on every node within a second. */
function within(check: () => Promise<boolean>): Promise<unknown> {
  return eventually("the change to count", async () => ((await check()) ? true : null), 1_000);
}
