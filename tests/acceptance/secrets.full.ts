/** No secret that was ever issued or sent is in the server's log or files. */
import assert from "node:assert/strict";
import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { CHOSEN } from "../fixtures/databases.ts";
import { basic, postForm } from "../fixtures/http.ts";
import { mooring } from "../fixtures/process.ts";
import { useServer, type Client } from "../fixtures/server.ts";
import { EXAMPLES, ingested, query, TYPES } from "../fixtures/telemetry.ts";

const shared = useServer({ settings: { log_level: "debug", slow_request_ms: 1, compaction_interval_ms: 200 } });

/** Every secret of the tour, by its name. */
const secrets = new Map<string, string>();

function issued(what: string, secret: unknown): string {
  assert.ok(typeof secret === "string" && secret.length > 8, `${what} was not issued`);
  secrets.set(what, secret);
  return secret;
}

function link(what: string, url: unknown): string {
  return issued(what, String(url).split("#")[1]);
}

const PASSWORD = "correct horse battery staple";

test("a tour that issues and sends secrets of every kind", async () => {
  const { server, home } = shared;
  const { client_id } = home.credential;
  issued("the first client secret", home.credential.client_secret);
  const token = issued("an access token", await server.token(home.credential));
  issued("a password", PASSWORD);
  issued("Basic authentication", basic(client_id, home.credential.client_secret).authorization.slice("Basic ".length));
  await postForm(
    server.origin,
    "/oauth/token",
    { grant_type: "client_credentials" },
    basic(client_id, home.credential.client_secret),
  );

  const created = await server.call<Client & { id: string }>("POST", "/v1/credentials", {
    token,
    json: { name: "temporary", scopes: ["org:read"] },
    headers: { "idempotency-key": "secrets-are-not-remembered" },
  });
  issued("a created secret", created.body.client_secret);
  const rotated = await server.call<Client>("POST", `/v1/credentials/${created.body.id}/rotate`, {
    token,
    json: {},
    headers: { "idempotency-key": "nor-those-of-a-rotation" },
  });
  issued("a rotated secret", rotated.body.client_secret);
  const doomed = issued("a revoked token", await server.token(rotated.body));
  await postForm(
    server.origin,
    "/oauth/introspect",
    { token: doomed },
    basic(client_id, home.credential.client_secret),
  );
  await postForm(server.origin, "/oauth/revoke", { token: doomed, ...rotated.body });
  await server.call("GET", "/v1/me", { token: doomed });

  const invitation = await server.call("POST", "/v1/invitations", {
    token,
    json: { email: "guest@example.org", role: "viewer" },
  });
  const invited = link("an invitation", invitation.body["link"]);
  await server.call("POST", "/v1/invitations/accept", { json: { token: invited, name: "Guest", password: PASSWORD } });
  const setup = link("a set-up link", home.owner.setup_url);
  const headers = { origin: server.origin };
  await server.call("POST", "/api/setup", { headers, json: { token: setup, name: "Owner", password: PASSWORD } });
  await server.call("DELETE", `/v1/credentials/${created.body.id}`, { token });
});

test("secrets in the wrong place, and errors of every kind", async () => {
  const { server, home, token } = shared;
  const secret = home.credential.client_secret;
  const misplaced = `${secret.slice(0, 30)}Z${secret.slice(31)}`;
  issued("a wrong secret", misplaced);
  await postForm(server.origin, "/oauth/token", {
    grant_type: "client_credentials",
    client_id: home.credential.client_id,
    client_secret: misplaced,
  });
  await postForm(server.origin, "/oauth/token", {
    grant_type: "client_credentials",
    client_id: misplaced,
    client_secret: "x",
  });
  await postForm(server.origin, "/oauth/token", { grant_type: misplaced, scope: misplaced });
  await server.call("POST", `/oauth/token?client_secret=${misplaced}`, {
    raw: "",
    headers: { "content-type": "application/x-www-form-urlencoded" },
  });
  await server.call("GET", `/v1/me?access_token=${token}`);
  await server.call("GET", `/v1/projects?cursor=${token}`, { token });
  await server.call("GET", `/nowhere?token=${misplaced}`);
  await server.call("GET", "/v1/me", {
    headers: { authorization: misplaced, "x-api-key": misplaced, cookie: `session=${misplaced}` },
  });
  await server.call("GET", "/v1/me", { headers: { authorization: `Bearer ${misplaced}` } });
  await server.call("POST", "/v1/projects", { token, raw: `{"slug": "${misplaced}` });
  for (const type of TYPES) await ingested(server, token, type, [EXAMPLES[type]]);
  await query(server, token, "selekt broken");
  await query(server, token, "select count(*) from logs");
});

test("the server's output has no secret", async () => {
  await shared.server.stop();
  const outputs = { stdout: shared.server.stdout(), stderr: shared.server.stderr() };
  assert.ok(outputs.stderr.split("\n").length > 20, "the server logged its work");
  for (const [name, text] of Object.entries(outputs)) {
    for (const [what, secret] of secrets) assert.ok(!text.includes(secret), `${what} is on ${name}`);
  }
});

test("the data directory has no secret", () => {
  const files = filesBelow(shared.server.dataDir).filter((path) => !path.endsWith("master.key"));
  assert.ok(files.length >= (CHOSEN === "sqlite" ? 2 : 1), "there are files to check");
  for (const path of files) {
    const bytes = readFileSync(path);
    for (const [what, secret] of secrets) assert.ok(!bytes.includes(secret), `${what} is in ${path}`);
  }
});

function filesBelow(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: "utf8" })
    .map((name) => join(directory, name))
    .filter((path) => lstatSync(path).isFile());
}

test("the configuration is printed without its secrets", async () => {
  const MOORING_MASTER_KEY = "c0ffee".padEnd(64, "0");
  const MOORING_DATABASE_URL = "postgres://someone:hunter2hunter2@127.0.0.1:1/nothing";
  for (const words of [["config", "print"], ["config", "print", "--json"], ["serve", "--help"], ["doctor"]]) {
    const outcome = await mooring(words, { environment: { MOORING_MASTER_KEY, MOORING_DATABASE_URL } });
    const text = outcome.stdout + outcome.stderr;
    assert.notEqual(text, "");
    assert.ok(!text.includes(MOORING_MASTER_KEY) && !text.includes("hunter2hunter2"), `${words.join(" ")}: ${text}`);
  }
});
