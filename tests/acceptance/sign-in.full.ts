/** Signing in: the set-up link, a session with a cookie, and tokens for the public API during the session. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Answer } from "../fixtures/http.ts";
import { useSharedServer } from "../fixtures/server.ts";

const shared = useSharedServer();

const PASSWORD = "correct horse battery";
const COOKIE = "__Host-mooring";

/** Sends requests as the portal's pages do. */
interface Browser {
  cookie: string | undefined;
  call<T = Record<string, unknown>>(method: string, path: string, json?: object): Promise<Answer<T>>;
  /** Returns a token for the server's organization. */
  token(): Promise<string>;
}

function browser(): Browser {
  const it: Browser = {
    cookie: undefined,
    call: async (method, path, json) => {
      const { server } = shared;
      const headers = {
        origin: server.origin,
        ...(it.cookie === undefined ? {} : { cookie: `${COOKIE}=${it.cookie}` }),
      };
      const answer = await server.call<never>(method, path, { headers, ...(json === undefined ? {} : { json }) });
      for (const line of answer.headers.getSetCookie()) {
        const value = new RegExp(`^${COOKIE}=([^;]*)`).exec(line)?.[1];
        if (value !== undefined) it.cookie = value === "" ? undefined : value;
      }
      return answer;
    },
    token: async () => {
      const body = { organization: shared.home.org.slug };
      const answer = await it.call<{ access_token: string }>("POST", "/api/session/token", body);
      assert.equal(answer.status, 200, answer.text);
      return answer.body.access_token;
    },
  };
  return it;
}

async function signedIn(email: string): Promise<Browser> {
  const it = browser();
  const answer = await it.call("POST", "/api/sign-in/password", { email, password: PASSWORD });
  assert.equal(answer.body["status"], "signed_in", answer.text);
  return it;
}

/** Returns a person who was invited, with a password. */
async function invited(owner: string, email: string, role: string): Promise<{ id: string }> {
  const { server } = shared;
  const invitation = await server.call<{ link: string }>("POST", "/v1/invitations", {
    token: owner,
    json: { email, role },
  });
  assert.equal(invitation.status, 201, invitation.text);
  const [, token = ""] = invitation.body.link.split("#");
  const json = { token, name: role, password: PASSWORD };
  const accepted = await server.call("POST", "/v1/invitations/accept", { json });
  assert.ok(accepted.status < 300, accepted.text);
  const members = await server.call<{ items: { user_id: string; email: string }[] }>("GET", "/v1/members", {
    token: owner,
  });
  return { id: members.body.items.find((member) => member.email === email)?.user_id ?? assert.fail(members.text) };
}

test("the set-up signs the owner in, and their session's token acts as the owner", async () => {
  const { server, home } = shared;
  const owner = browser();
  const [, token = ""] = String(home.owner.setup_url).split("#");
  const done = await owner.call("POST", "/api/setup", { token, name: "Ada", password: PASSWORD });
  assert.equal(done.status, 201, done.text);
  const session = await owner.call<{ user: { email: string } }>("GET", "/api/session");
  assert.equal(session.status, 200, session.text);
  assert.equal(session.body.user.email, home.owner.email);
  const me = await server.call<{ kind: string; role: string }>("GET", "/v1/me", { token: await owner.token() });
  assert.equal(me.status, 200, me.text);
  assert.deepEqual([me.body.kind, me.body.role], ["person", "owner"]);
});

test("every surface accepts a person's token like a credential's", async () => {
  const { server, home } = shared;
  const token = await (await signedIn(home.owner.email)).token();
  const { project } = home;
  const entry = { timestamp: new Date().toISOString(), level: "info", message: "by a person" };
  const logs = { json: { entries: [entry] }, headers: { "idempotency-key": "once" } };
  const sent = await server.call("POST", "/v1/ingest/logs", { token, ...logs });
  assert.equal(sent.status, 202, sent.text);
  const found = await server.call("POST", "/v1/query", {
    token,
    json: { sql: "SELECT message FROM logs WHERE message = 'by a person'" },
  });
  assert.equal(found.status, 200, found.text);
  assert.ok(found.text.includes("by a person"));
  const upload = { filename: "a.txt", content_type: "text/plain" };
  assert.equal((await server.call("POST", "/v1/upload", { token, json: upload })).status, 200);
  assert.equal((await server.call("GET", "/v1/files", { token })).status, 200);
  const hook = { name: "hook", project: project.slug };
  const made = await server.call<{ id: string }>("POST", "/v1/webhooks", { token, json: hook });
  assert.ok(made.status < 300, made.text);
  const audit = await server.call<{ items: { actor: { kind: string } }[] }>("GET", "/v1/audit", { token });
  assert.equal(audit.status, 200, audit.text);
  assert.ok(audit.text.includes('"person"'));
  const credential = { name: "by a person", scopes: ["telemetry:write"] };
  const created = await server.call<{ client_id: string; client_secret: string }>("POST", "/v1/credentials", {
    token,
    json: credential,
  });
  assert.equal(created.status, 201, created.text);
  await server.token(created.body);
});

test("an idempotency key of a person is valid in one organization, and repeats its answer", async () => {
  const { server, home } = shared;
  const token = await (await signedIn(home.owner.email)).token();
  const call = () =>
    server.call("POST", "/v1/projects", { token, json: { slug: "once" }, headers: { "idempotency-key": "key-1" } });
  const [first, again] = [await call(), await call()];
  assert.equal(first.status, 201, first.text);
  assert.equal(again.text, first.text);
  assert.equal(again.headers.get("idempotency-replayed"), "true");
});

test("a person's token is not a client's token: it is not introspected, and opens neither images nor a session", async () => {
  const { server, home } = shared;
  const token = await (await signedIn(home.owner.email)).token();
  const basic = `${home.credential.client_id}:${home.credential.client_secret}`;
  const introspected = await fetch(`${server.origin}/oauth/introspect`, {
    method: "POST",
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      authorization: `Basic ${Buffer.from(basic).toString("base64")}`,
    },
    body: new URLSearchParams({ token }),
  });
  assert.deepEqual(await introspected.json(), { active: false });
  const images = await fetch(`${server.origin}/v2/`, { headers: { authorization: `Bearer ${token}` } });
  assert.equal(images.status, 401);
  assert.equal((await server.call("GET", "/api/session", { token })).status, 401);
});

test("signing out ends the session's tokens at once", async () => {
  const { server, home } = shared;
  const it = await signedIn(home.owner.email);
  const token = await it.token();
  assert.equal((await server.call("GET", "/v1/me", { token })).status, 200);
  assert.equal((await it.call("POST", "/api/sign-out")).status, 204);
  const refused = await server.call("GET", "/v1/me", { token });
  assert.equal(refused.status, 401);
  assert.match(refused.headers.get("www-authenticate") ?? "", /error="invalid_token"/);
});

test("a lower role and a removal count at the next request", async () => {
  const { server, home } = shared;
  const owner = await (await signedIn(home.owner.email)).token();
  const { id } = await invited(owner, "grace@example.org", "admin");
  const token = await (await signedIn("grace@example.org")).token();
  const rename = () => server.call("PATCH", "/v1/organization", { token, json: { name: "Renamed" } });
  assert.equal((await rename()).status, 200);
  await server.call("PATCH", `/v1/members/${id}`, { token: owner, json: { role: "viewer" } });
  assert.equal((await rename()).status, 403);
  assert.equal((await server.call("DELETE", `/v1/members/${id}`, { token: owner })).status, 204);
  assert.equal((await server.call("GET", "/v1/me", { token })).status, 401);
});

test("members are listed with their last use and whether they have a second factor", async () => {
  const { server, home } = shared;
  const token = await (await signedIn(home.owner.email)).token();
  const { body } = await server.call<{ items: { last_seen_at: string; second_factor: boolean }[] }>(
    "GET",
    "/v1/members",
    { token },
  );
  const [owner] = body.items;
  assert.ok(Math.abs(Date.parse(owner?.last_seen_at ?? "") - Date.now()) < 120_000);
  assert.equal(owner?.second_factor, false);
});

test("the server's log has neither cookie nor token", async () => {
  const { server, home } = shared;
  const it = await signedIn(home.owner.email);
  const token = await it.token();
  await server.call("GET", "/v1/me", { token });
  await it.call("GET", "/api/session");
  for (const text of [token, it.cookie ?? assert.fail("no cookie"), PASSWORD])
    assert.ok(!server.stderr().includes(text) && !server.stdout().includes(text));
});
