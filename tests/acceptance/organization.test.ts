/** The organization API as its users call it: projects, apps, members, invitations, credentials and policy. */
import assert from "node:assert/strict";
import { randomBytes, randomUUID } from "node:crypto";
import { test } from "node:test";
import { postForm, refused, type Answer } from "../fixtures/http.ts";
import { eventually } from "../fixtures/process.ts";
import { useSharedServer, type Client } from "../fixtures/server.ts";

const shared = useSharedServer();

type Item = Readonly<Record<string, unknown>> & { readonly id: string };
interface Page {
  readonly items: readonly Item[];
  readonly next_cursor: string | null;
}

function request<T = Item>(
  method: string,
  path: string,
  json?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer<T>> {
  return shared.server.call<T>(method, path, { token: shared.token, headers, ...(json === undefined ? {} : { json }) });
}

async function done<T = Item>(status: number, method: string, path: string, json?: unknown): Promise<T> {
  const answer = await request<T>(method, path, json);
  assert.equal(answer.status, status, `${method} ${path}: ${answer.text}`);
  return status === 204 ? (undefined as T) : answer.body;
}

/** Returns a slug that no other test uses. */
function slug(): string {
  return `t-${randomBytes(6).toString("hex")}`;
}

test("a project is created, read by ID and slug, changed and deleted", async () => {
  const name = slug();
  const project = await done(201, "POST", "/v1/projects", { slug: name, name: "A project" });
  assert.match(project.id, /^proj_[0-9a-z]{26}$/);
  assert.equal(project["visibility"], "organization");
  assert.match(String(project["created_at"]), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
  assert.deepEqual(await done(200, "GET", `/v1/projects/${project.id}`), project);
  assert.deepEqual(await done(200, "GET", `/v1/projects/${name}`), project);
  const changed = await done(200, "PATCH", `/v1/projects/${name}`, { name: "Renamed" });
  assert.deepEqual(changed, { ...project, name: "Renamed" });
  const answer = await request("DELETE", `/v1/projects/${project.id}`);
  assert.deepEqual([answer.status, answer.text], [204, ""]);
  refused(await request("GET", `/v1/projects/${project.id}`), 404, "not_found");
  refused(await request("DELETE", `/v1/projects/${project.id}`), 404, "not_found");
  await done(201, "POST", "/v1/projects", { slug: name });
});

test("slugs of projects: 2 to 39 of a-z, 0-9 and hyphens, none at an end", async () => {
  for (const good of ["ab", "a1", "00", `a${"-".repeat(37)}b`, randomBytes(19).toString("hex")]) {
    await done(201, "POST", "/v1/projects", { slug: good });
  }
  for (const bad of ["", "a", "-a", "a-", "A1", "a_b", "a.b", "a b", "é1", "x".repeat(40), "a/b", "a\n", 5, null]) {
    refused(await request("POST", "/v1/projects", { slug: bad }), 400, "invalid_body", ["/slug"]);
  }
});

test("slugs of apps are bucket names and OCI name components", async () => {
  const project = shared.home.project.id;
  for (const good of ["abc", "a.b", "a-b", "a--b", "0.1", "x".repeat(63)])
    await done(201, "POST", "/v1/apps", { project, slug: good });
  const bad = [
    "ab",
    "x".repeat(64),
    "A.b",
    "a..b",
    "-ab",
    "ab-",
    ".ab",
    "ab.",
    "a.-b",
    "a-.b",
    "a_b",
    "192.168.1.1",
    "xn--abc",
    "abc-s3alias",
  ];
  for (const one of bad)
    refused(await request("POST", "/v1/apps", { project, slug: one }), 400, "invalid_body", ["/slug"]);
});

test("a slug is unique in its parent: 409, then free again after a deletion", async () => {
  const name = slug();
  const project = await done(201, "POST", "/v1/projects", { slug: name });
  refused(await request("POST", "/v1/projects", { slug: name }), 409, "duplicate_slug");
  refused(await request("PATCH", `/v1/projects/${shared.home.project.id}`, { slug: name }), 409, "duplicate_slug");
  const app = { project: project.id, slug: name };
  await done(201, "POST", "/v1/apps", app);
  refused(await request("POST", "/v1/apps", { ...app, project: shared.home.project.id }), 409, "duplicate_slug");
  await done(204, "DELETE", `/v1/apps/${name}`);
  await done(204, "DELETE", `/v1/projects/${project.id}`);
  await done(201, "POST", "/v1/apps", { ...app, project: shared.home.project.id });
});

test("one of many concurrent creates with one slug succeeds", async () => {
  const name = slug();
  const answers = await Promise.all(Array.from({ length: 10 }, () => request("POST", "/v1/projects", { slug: name })));
  assert.deepEqual(
    answers.map(({ status }) => status).toSorted((a, b) => a - b),
    [201, ...Array.from({ length: 9 }, () => 409)],
  );
});

test("an app names its repository and its bucket", async () => {
  const name = slug();
  const app = await done(201, "POST", "/v1/apps", { project: shared.home.project.slug, slug: name, name: "An app" });
  assert.match(app.id, /^app_/);
  assert.equal(app["project_id"], shared.home.project.id);
  assert.equal(app["repository"], `orgs/${shared.home.org.slug}/${name}`);
  assert.equal(app["bucket"], name);
  assert.deepEqual(await done(200, "GET", `/v1/apps/${name}`), app);
  assert.equal((await done(200, "PATCH", `/v1/apps/${app.id}`, { name: "Renamed" }))["name"], "Renamed");
  refused(await request("PATCH", `/v1/apps/${app.id}`, { slug: "other" }), 400, "invalid_body");
  refused(await request("POST", "/v1/apps", { project: "nowhere", slug: slug() }), 404, "not_found");
});

test("If-Match changes only the version that was read", async () => {
  const project = await done(201, "POST", "/v1/projects", { slug: slug() });
  const path = `/v1/projects/${project.id}`;
  const etag = String((await request("GET", path)).headers.get("etag"));
  assert.match(etag, /^"[^"]+"$/);
  assert.equal((await request("PATCH", path, { name: "First" }, { "if-match": etag })).status, 200);
  refused(await request("PATCH", path, { name: "Second" }, { "if-match": etag }), 409, "concurrent_update");
  assert.equal((await done(200, "GET", path))["name"], "First");
});

test("lists are paged by a cursor, each item once", async () => {
  const made = new Set<string>();
  for (let i = 0; i < 7; i++) made.add((await done(201, "POST", "/v1/projects", { slug: slug() })).id);
  const seen: string[] = [];
  let cursor: string | null = null;
  do {
    const page: Page = await done<Page>(
      200,
      "GET",
      `/v1/projects?limit=3${cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`}`,
    );
    assert.ok(page.items.length <= 3);
    seen.push(...page.items.map((item) => item.id));
    cursor = page.next_cursor;
  } while (cursor !== null);
  assert.equal(new Set(seen).size, seen.length);
  for (const id of made) assert.ok(seen.includes(id));
  const all = await done<Page>(200, "GET", "/v1/projects?limit=100");
  assert.deepEqual(
    all.items.map((item) => item.id),
    seen,
    "newest first, in pages or not",
  );
});

test("with an Idempotency-Key a create is safe to repeat, and shows no secret twice", async () => {
  const headers = { "idempotency-key": randomUUID() };
  const body = { name: "once", scopes: ["org:read"] };
  const first = await request<Client & Item>("POST", "/v1/credentials", body, headers);
  assert.equal(first.status, 201, first.text);
  const again = await request<Client & Item>("POST", "/v1/credentials", body, headers);
  assert.equal(again.status, 201, again.text);
  assert.equal(again.body.id, first.body.id);
  assert.equal(again.body.client_secret, null);
  refused(await request("POST", "/v1/credentials", { ...body, name: "other" }, headers), 422, "idempotency_key_reused");
});

test("a person is invited, accepts, gets roles and is removed", async () => {
  const email = `${slug()}@example.org`;
  const invitation = await done<Item & { link: string }>(201, "POST", "/v1/invitations", { email, role: "developer" });
  assert.equal(invitation["status"], "pending");
  const token = invitation.link.split("#")[1] ?? "";
  const accept = (given: string): Promise<Answer> =>
    shared.server.call("POST", "/v1/invitations/accept", {
      json: { token: given, name: "Ada", password: "correct horse battery" },
    });
  refused(
    await shared.server.call("POST", "/v1/invitations/accept", { json: { token, name: "Ada", password: "short" } }),
    400,
    "invalid_body",
    ["/password"],
  );
  const accepted = await accept(token);
  assert.equal(accepted.status, 200, accepted.text);
  const user = accepted.body["user"] as Item;
  const again = await accept(token);
  assert.ok(again.status >= 400 && again.status < 500, again.text);
  const members = await done<Page>(200, "GET", "/v1/members?limit=100");
  assert.equal(members.items.find((member) => member["user_id"] === user.id)?.["role"], "developer");
  assert.equal((await done(200, "PATCH", `/v1/members/${user.id}`, { role: "viewer" }))["role"], "viewer");
  refused(await request("PATCH", `/v1/members/${user.id}`, { role: "emperor" }), 400, "invalid_body", ["/role"]);
  const project = await done(201, "POST", "/v1/projects", { slug: slug() });
  assert.equal(
    (await done(200, "PUT", `/v1/projects/${project.id}/members/${user.id}`, { role: "writer" }))["role"],
    "writer",
  );
  await done(204, "DELETE", `/v1/projects/${project.id}/members/${user.id}`);
  await done(204, "DELETE", `/v1/members/${user.id}`);
  refused(await request("PATCH", `/v1/members/${user.id}`, { role: "viewer" }), 404, "not_found");
});

test("a revoked, used or invented invitation gets the same answer", async () => {
  const invitation = await done<Item & { link: string }>(201, "POST", "/v1/invitations", {
    email: `${slug()}@example.org`,
    role: "viewer",
  });
  await done(204, "DELETE", `/v1/invitations/${invitation.id}`);
  const accept = (token: string): Promise<Answer> =>
    shared.server.call("POST", "/v1/invitations/accept", {
      json: { token, name: "Eve", password: "correct horse battery" },
      headers: { "request-id": "same-id-for-both-requests" },
    });
  const revoked = await accept(invitation.link.split("#")[1] ?? "");
  const invented = await accept(`mriv_${"0".repeat(49)}`);
  assert.ok(revoked.status >= 400 && revoked.status < 500);
  assert.equal(revoked.text, invented.text);
});

test("the last owner stays", async () => {
  const members = await done<Page>(200, "GET", "/v1/members?limit=100");
  const owners = members.items.filter((member) => member["role"] === "owner");
  assert.equal(owners.length, 1);
  const path = `/v1/members/${String(owners[0]?.["user_id"])}`;
  for (const answer of [await request("PATCH", path, { role: "viewer" }), await request("DELETE", path)]) {
    assert.ok(answer.status === 409 || answer.status === 403, answer.text);
  }
  assert.deepEqual((await done<Page>(200, "GET", "/v1/members?limit=100")).items, members.items);
});

test("nobody gives a scope that they lack", async () => {
  const clerk = await done<Client>(201, "POST", "/v1/credentials", {
    name: "clerk",
    scopes: ["credentials:write", "credentials:read", "org:read"],
  });
  const token = await shared.server.token(clerk);
  const create = (scopes: readonly string[]): Promise<Answer> =>
    shared.server.call("POST", "/v1/credentials", { token, json: { name: "made by the clerk", scopes } });
  assert.equal((await create(["org:read"])).status, 201);
  const answer = await create(["org:read", "org:write"]);
  assert.equal(answer.status, 403, answer.text);
  assert.match(answer.text, /org:write/);
  const own = (await shared.server.call<Item>("GET", "/v1/me", { token })).body.id;
  const raised = await shared.server.call("PATCH", `/v1/credentials/${own}`, {
    token,
    json: { scopes: ["org:read", "org:write"] },
  });
  assert.equal(raised.status, 403, raised.text);
  refused(await request("POST", "/v1/credentials", { name: "x", scopes: ["root"] }), 400, "invalid_body");
  refused(await request("POST", "/v1/credentials", { name: "x", scopes: [] }), 400, "invalid_body", ["/scopes"]);
});

test("a credential shows its last use, and expires with its tokens", async () => {
  const expires_at = new Date(Date.now() + 2500).toISOString();
  const made = await done<Client & Item>(201, "POST", "/v1/credentials", {
    name: "short",
    scopes: ["org:read"],
    expires_at,
  });
  assert.equal(new Date(String(made["expires_at"])).getTime(), new Date(expires_at).getTime());
  const token = await shared.server.token(made);
  assert.equal((await shared.server.call("GET", "/v1/me", { token })).status, 200);
  const late = await eventually("the credential to expire", async () => {
    const answer = await shared.server.call("GET", "/v1/me", { token });
    return answer.status === 200 ? null : answer;
  });
  refused(late, 401, "invalid_token");
  assert.ok(Date.now() >= new Date(expires_at).getTime());
  const again = await postForm(shared.server.origin, "/oauth/token", {
    grant_type: "client_credentials",
    client_id: made.client_id,
    client_secret: made.client_secret,
  });
  assert.equal(again.status, 401);
  refused(
    await request("POST", "/v1/credentials", { name: "x", scopes: ["org:read"], expires_at: "tomorrow" }),
    400,
    "invalid_body",
  );
});

test("the organization's policy reduces the scopes of credentials and of issued tokens", async () => {
  const other = await shared.server.bootstrap({ org: "policy-inc", project: "main", app: "only-app" });
  const token = await shared.server.token(other.credential);
  const call = (method: string, path: string, json?: unknown): Promise<Answer> =>
    shared.server.call(method, path, { token, ...(json === undefined ? {} : { json }) });
  assert.equal((await call("GET", "/v1/audit")).status, 200);
  const narrowed = await call("PATCH", "/v1/organization", {
    policy: { allowed_scopes: ["org:read", "org:write", "credentials:write"] },
  });
  assert.equal(narrowed.status, 200, narrowed.text);
  const answer = await call("GET", "/v1/audit");
  assert.ok(answer.status === 403 || answer.status === 401, answer.text);
  const fresh = await shared.server.token(other.credential);
  refused(await shared.server.call("GET", "/v1/audit", { token: fresh }), 403, "insufficient_scope");
  const beyond = await shared.server.call("POST", "/v1/credentials", {
    token: fresh,
    json: { name: "x", scopes: ["audit:read"] },
  });
  assert.equal(beyond.status, 403, beyond.text);
  const opened = await shared.server.call("PATCH", "/v1/organization", {
    token: fresh,
    json: { policy: { allowed_scopes: null } },
  });
  refused(opened, 403, "insufficient_scope"); // Otherwise the program would restore what the policy removed. An owner can do that in the portal.
});

test("/v1/me names the actor of the token", async () => {
  const me = await done(200, "GET", "/v1/me");
  assert.equal(me["kind"], "credential");
  assert.equal(me["client_id"], shared.home.credential.client_id);
  assert.equal((me["organization"] as Item).id, shared.home.org.id);
  assert.ok((me["scopes"] as string[]).includes("telemetry:write"));
  assert.ok((me["projects"] as Item[]).some((project) => project.id === shared.home.project.id));
});

test("bodies: unknown members, missing members and other forms are 400 with pointers", async () => {
  refused(await request("POST", "/v1/projects", { slug: slug(), colour: "red" }), 400, "invalid_body", ["/colour"]);
  refused(await request("POST", "/v1/projects", {}), 400, "invalid_body", ["/slug"]);
  refused(await request("PATCH", `/v1/projects/${shared.home.project.id}`, {}), 400, "invalid_body");
  refused(await request("POST", "/v1/projects", { slug: slug(), visibility: "secret" }), 400, "invalid_body", [
    "/visibility",
  ]);
  for (const raw of ["", "{", "null", "[]", '{"slug":"x1","__proto__":{}}']) {
    refused(await shared.server.call("POST", "/v1/projects", { token: shared.token, raw }), 400, "invalid_body");
  }
  const big = JSON.stringify({ slug: slug(), name: "x".repeat(1_100_000) });
  refused(await shared.server.call("POST", "/v1/projects", { token: shared.token, raw: big }), 413, "body_too_large");
});
