/** Tokens of another issuer instead of a secret: RFC 7521 section 4.2, RFC 7523, and a second node on the same records. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import * as oauth from "oauth4webapi";
import { postForm } from "../fixtures/http.ts";
import { startIssuer, type Issuer } from "../fixtures/issuer.ts";
import { RELAXED, useSharedServer } from "../fixtures/server.ts";

const run = promisify(execFile);
const shared = useSharedServer(undefined, RELAXED);
const JWT_BEARER = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
const SUBJECT = "repo:acme/shop:ref:refs/heads/main";

let issuer: Issuer;
before(async () => (issuer = await startIssuer("ES256")));
after(() => issuer.close());

async function made(path: string, json: object): Promise<Record<string, unknown>> {
  const { status, body, text } = await shared.server.call("POST", path, { token: shared.token, json });
  assert.equal(status, 201, text);
  return body;
}

/** Creates a credential without a secret that trusts the issuer. */
async function job(
  scopes: readonly string[] = ["files:read"],
): Promise<{ clientId: string; trust: string; id: string }> {
  const credential = await made("/v1/credentials", { name: "ci", scopes, without_secret: true });
  assert.deepEqual([credential["client_secret"], credential["secrets"]], [null, []]);
  const id = String(credential["id"]);
  const trust = await made(`/v1/credentials/${id}/trusts`, { name: "main", issuer: issuer.url, subject: SUBJECT });
  assert.equal(trust["audience"], shared.home.addresses["identity_url"]);
  return { clientId: String(credential["client_id"]), trust: String(trust["id"]), id };
}

const assertion = (): Promise<string> => issuer.token({ aud: shared.server.origin, sub: SUBJECT });

test("a conforming client library signs in by its own assertion", async () => {
  const { clientId } = await job();
  const text = await assertion();
  const server: oauth.AuthorizationServer = {
    issuer: shared.server.origin,
    token_endpoint: `${shared.server.origin}/oauth/token`,
  };
  const byAssertion: oauth.ClientAuth = (_as, client, body) => {
    body.set("client_id", client.client_id);
    body.set("client_assertion_type", JWT_BEARER);
    body.set("client_assertion", text);
  };
  const client = { client_id: clientId };
  const response = await oauth.clientCredentialsGrantRequest(server, client, byAssertion, new URLSearchParams(), {
    [oauth.allowInsecureRequests]: true,
  });
  const result = await oauth.processClientCredentialsResponse(server, client, response);
  assert.equal(result.scope, "files:read");
  const listed = await shared.server.call("GET", "/v1/files", { token: result.access_token });
  assert.equal(listed.status, 200);
});

test("the documented lines for GitHub Actions work with GitHub's variables", async () => {
  const { clientId } = await job(["files:read", "registry:pull"]);
  const { href } = new URL("../../portal/src/pages/trusts/snippets.ts", import.meta.url);
  const { trustSnippets } = (await import(href)) as {
    trustSnippets: (input: object) => readonly { title: string; text: string }[];
  };
  const snippets = trustSnippets({
    issuer: "https://token.actions.githubusercontent.com",
    subject: SUBJECT,
    audience: shared.server.origin,
    clientId,
    identityUrl: shared.server.origin,
    registryDomain: "images.example",
    mayRegistry: true,
  });
  assert.deepEqual(
    snippets.map(({ title }) => title),
    ["GitHub Actions", "docker login"],
  );
  const [, script = ""] = String(snippets[0]?.text).split("run: |\n");
  const asked: (string | undefined)[] = [];
  const text = await assertion();
  const path = `/actions?api-version=2.0&audience=${encodeURIComponent(shared.server.origin)}`;
  issuer.answers.set(path, (request, response) => {
    asked.push(request.headers.authorization);
    response.end(JSON.stringify({ count: 1, value: text }));
  });
  const { stdout } = await run("bash", ["-euo", "pipefail", "-c", `${script}\ncat "$GITHUB_ENV"`], {
    env: {
      PATH: process.env["PATH"] ?? "",
      ACTIONS_ID_TOKEN_REQUEST_URL: `${issuer.url}/actions?api-version=2.0`,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: "runner-token",
      GITHUB_ENV: join(shared.server.dataDir, "github-env"),
    },
  });
  assert.deepEqual(asked, ["Bearer runner-token"]);
  const [, token = ""] = /^MOORING_TOKEN=(eyJ\S+)$/m.exec(stdout) ?? [];
  assert.ok(stdout.includes(`::add-mask::${token}`));
  assert.equal((await shared.server.call("GET", "/v1/files", { token })).status, 200);
  const login = { authorization: `Basic ${Buffer.from(`${clientId}:${token}`).toString("base64")}` };
  assert.equal((await shared.server.call("GET", "/v2/", { headers: login })).status, 200);
});

test("a deleted trust and a revoked credential end a job's tokens; the log names the trust and has no token", async () => {
  const { server, token: whole } = shared;
  const { clientId, trust, id } = await job();
  const form = { grant_type: "client_credentials", client_id: clientId, client_assertion_type: JWT_BEARER };
  const ask = async () => postForm(server.origin, "/oauth/token", { ...form, client_assertion: await assertion() });
  const { body, status } = await ask();
  assert.equal(status, 200);
  const token = String(body["access_token"]);
  assert.equal((await server.call("GET", "/v1/files", { token })).status, 200);
  const deleted = await server.call("DELETE", `/v1/trusts/${trust}`, { token: whole });
  assert.deepEqual(deleted.body, { propagated: true });
  assert.equal((await server.call("GET", "/v1/files", { token })).status, 401);
  assert.equal((await ask()).status, 401);
  const audit = await server.call<{ items: { action: string; detail: { trust?: string } }[] }>(
    "GET",
    `/v1/audit?target=${id}`,
    { token: whole },
  );
  const actions = audit.body.items.map(({ action, detail }) => [action, detail.trust]);
  assert.ok(actions.some(([action, of]) => action === "trust.delete" && of === trust));
  assert.ok(actions.some(([action, of]) => action === "trust.create" && of === trust));
  assert.equal(JSON.stringify(audit.body).includes("eyJ"), false);

  const other = await job();
  const before_ = await ask_(other.clientId);
  assert.equal(before_.status, 200);
  assert.equal((await server.call("DELETE", `/v1/credentials/${other.id}`, { token: whole })).status, 200);
  assert.equal((await server.call("GET", "/v1/files", { token: String(before_.body["access_token"]) })).status, 401);
  assert.equal((await ask_(other.clientId)).status, 401);
  const left = await server.call("GET", `/v1/trusts/${other.trust}`, { token: whole });
  assert.equal(left.status, 404, "a trust is deleted with its credential");
  assert.doesNotMatch(server.stdout() + server.stderr(), /eyJ/);

  async function ask_(client: string) {
    return postForm(server.origin, "/oauth/token", {
      ...form,
      client_id: client,
      client_assertion: await assertion(),
    });
  }
});

test("an actor without the credential's permissions can't create a trust for it", async () => {
  const { server } = shared;
  const credential = await made("/v1/credentials", { name: "strong", scopes: ["files:read", "org:write"] });
  const weak = await made("/v1/credentials", { name: "weak", scopes: ["credentials:write", "credentials:read"] });
  const token = await server.token(weak as unknown as { client_id: string; client_secret: string });
  const json = { name: "x", issuer: issuer.url, subject: SUBJECT };
  const answer = await server.call("POST", `/v1/credentials/${String(credential["id"])}/trusts`, { token, json });
  assert.deepEqual([answer.status, answer.body["code"]], [403, "insufficient_scope"], answer.text);
});
