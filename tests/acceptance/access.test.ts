/** Access to every published operation: no token, invalid tokens, too few scopes, and hidden resources. */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { rawRequest, refused, type Answer, type Problem } from "../fixtures/http.ts";
import { uploaded } from "../fixtures/files.ts";
import { forgeJwt } from "../fixtures/jwt.ts";
import { pathOf, publishedOperations, type Operation } from "../fixtures/operations.ts";
import { ALL_SCOPES } from "../fixtures/scopes.ts";
import {
  RELAXED,
  sharedServer,
  useSharedServer,
  type Bootstrap,
  type Client,
  type Server,
  type Shared,
} from "../fixtures/server.ts";
import { EXAMPLES, ingest } from "../fixtures/telemetry.ts";

/** Real IDs that a token of the first organization can't distinguish from absent ones. */
interface Hidden {
  readonly what: string;
  readonly values: Record<string, string>;
}

const hidden: Hidden[] = [];
const shared = useSharedServer(prepareHidden);

const TRUST = { name: "ci", issuer: "https://token.actions.githubusercontent.com", subject: "repo:acme/shop:*" };

/** A valid body for each operation, so that a refusal is about the caller and not about the body. */
const BODIES: Readonly<Record<string, unknown>> = {
  ingest: { entries: [] },
  query: { sql: "select 1 as a" },
  createSavedQuery: { name: "never made", sql: "select 1" },
  updateSavedQuery: { description: "new" },
  runSavedQuery: {},
  createAlert: {
    name: "never made",
    query_id: `query_${"0".repeat(26)}`,
    url: "https://example.com/",
    every_s: 60,
    condition: { operator: ">", threshold: 0 },
  },
  updateAlert: { description: "new" },
  rotateAlertSecret: {},
  createUpload: { filename: "never made.txt", content_type: "text/plain" },
  copyFile: {},
  updateFileSettings: { trash_days: null },
  createObjectLink: { key: "a" },
  createObjectUpload: { key: "a" },
  deleteObjects: { objects: [{ key: "a" }] },
  updateImageRepository: { public: false },
  runImageRetention: { dry_run: true },
  updateOrganization: { name: "Acme" },
  keepOrganization: {},
  updateTelemetrySettings: { retention_days: { logs: 30 } },
  createTelemetryErasure: { types: ["logs"], match: { service: "shop" } },
  createProject: { slug: "never-made" },
  updateProject: { name: "New name" },
  enterProject: { reason: "An audit" },
  putProjectMember: { role: "reader" },
  putProjectGroup: { role: "reader" },
  createGroup: { slug: "never-made" },
  updateGroup: { name: "New name" },
  putGroupMember: {},
  createRole: { slug: "never-made", kind: "project", scopes: ["files:read"] },
  updateRole: { name: "New name" },
  createApp: { project: "shop", slug: "never-made" },
  updateApp: { name: "New name" },
  moveApp: { project: "shop" },
  updateMember: { role: "viewer" },
  createInvitation: { email: "new@example.org", role: "viewer" },
  renewInvitation: {},
  createCredential: { name: "never made", scopes: ["org:read"] },
  updateCredential: { name: "New name" },
  rotateCredential: {},
  createTrust: TRUST,
  testTrust: { assertion: "a.b.c" },
  createWebhook: { name: "never made", project: "shop" },
  updateWebhook: { name: "New name" },
  rotateWebhookUrl: {},
  rotateWebhookSecret: {},
  createWebhookDestination: { name: "never made", url: "https://example.com/" },
  updateWebhookDestination: { name: "New name" },
  rotateWebhookDestinationSecret: {},
  replayWebhookDeliveries: {},
  replayWebhookEvent: {},
  createWebhookConsumer: { name: "never-made" },
  claimWebhookEvents: {},
  acknowledgeWebhookEvents: { lease_id: "lease_none" },
  updateWebhookSettings: { retention_days: null },
  createS3Key: { name: "never made" },
  updateS3Key: { name: "New name" },
  rotateS3Key: {},
  findLeak: { secret: "none" },
  createS3Destination: { name: "never-made", url: "https://example.com/" },
};

/** Parameters that an operation requires. */
const QUERIES: Readonly<Record<string, string>> = { getObject: "?key=a", deleteOrganization: "?slug=absent" };

const OPERATIONS = publishedOperations();
const GUARDED = OPERATIONS.filter((operation) => operation.scopes !== null);

test("the published documents name the operations of the contract", () => {
  const ids = new Set(OPERATIONS.map((operation) => operation.id));
  for (const id of [
    "ingest",
    "query",
    "getOrganization",
    "createProject",
    "createApp",
    "listMembers",
    "createCredential",
    "listAudit",
  ]) {
    assert.ok(ids.has(id), `${id} is not in openapi/`);
  }
  assert.ok(GUARDED.length >= 20, `only ${GUARDED.length} operations need a token`);
});

/** Returns well-formed values of the right length that name nothing. */
function absent(operation: Operation): Record<string, string> {
  const values: Record<string, string> = {
    type: "logs",
    project_id: `proj_${"0".repeat(26)}`,
    app_id: `app_${"0".repeat(26)}`,
    query_id: `query_${"0".repeat(26)}`,
    alert_id: `alert_${"0".repeat(26)}`,
    file_id: `file_${"0".repeat(26)}`,
    reference: "absent",
    user_id: `user_${"0".repeat(26)}`,
    group_id: `grp_${"0".repeat(26)}`,
    role_id: `role_${"0".repeat(26)}`,
    credential_id: `cred_${"0".repeat(26)}`,
    trust_id: `trust_${"0".repeat(26)}`,
    entry_id: `aud_${"0".repeat(26)}`,
    invitation_id: `inv_${"0".repeat(26)}`,
    key_id: `key_${"0".repeat(26)}`,
    destination_id: `dest_${"0".repeat(26)}`,
    erasure_id: `era_${"0".repeat(26)}`,
    webhook_id: `hook_${"0".repeat(26)}`,
    event_id: `evt_${"0".repeat(26)}`,
    consumer: "absent",
    item_id: `trash_${"0".repeat(26)}`,
  };
  return Object.fromEntries(operation.parameters.map((name) => [name, values[name] ?? "0"]));
}

function perform(
  operation: Operation,
  headers: Record<string, string>,
  values = absent(operation),
): Promise<Answer<Problem>> {
  if (operation.hasBody && !(operation.id in BODIES)) throw new Error(`add a body for ${operation.id} to this test`);
  return shared.server.call<Problem>(operation.method, pathOf(operation, values) + (QUERIES[operation.id] ?? ""), {
    headers,
    ...(operation.hasBody ? { json: BODIES[operation.id] } : {}),
  });
}

for (const operation of GUARDED) {
  test(`${operation.id} without a token is 401 with a plain challenge`, async () => {
    const answer = await perform(operation, {});
    refused(answer, 401, "unauthorized");
    const challenge = answer.headers.get("www-authenticate") ?? "";
    assert.match(challenge, /^Bearer\b/);
    assert.doesNotMatch(challenge, /error=/, "RFC 6750 section 3.1: no error code without credentials");
  });

  test(`${operation.id} with an invalid token is 401 invalid_token`, async () => {
    const answer = await perform(operation, { authorization: "Bearer garbage" });
    refused(answer, 401, "invalid_token");
    assert.match(answer.headers.get("www-authenticate") ?? "", /^Bearer\b.*error="invalid_token"/);
  });
}

/** Returns a token of a credential with every scope except these. */
async function tokenWithout(missing: readonly string[]): Promise<string> {
  const scopes = ALL_SCOPES.filter((scope) => !missing.includes(scope));
  const answer = await shared.server.call("POST", "/v1/credentials", {
    token: shared.token,
    json: { name: `without ${missing.join(" ")}`, scopes },
  });
  assert.equal(answer.status, 201, answer.text);
  return shared.server.token(answer.body as unknown as Client);
}

const SCOPED = GUARDED.filter((operation) => operation.scopes?.length === 1);

for (const scope of new Set(SCOPED.flatMap((operation) => operation.scopes ?? []))) {
  const needing = SCOPED.filter((operation) => operation.scopes?.includes(scope));
  test(`403 names ${scope} on ${needing.map((operation) => operation.id).join(", ")}`, async () => {
    const token = await tokenWithout([scope]);
    for (const operation of needing) {
      const answer = await perform(operation, { authorization: `Bearer ${token}` });
      const problem = refused(answer, 403, "insufficient_scope");
      assert.ok(problem.detail.includes(scope), `${operation.id}: ${problem.detail}`);
      assert.match(
        answer.headers.get("www-authenticate") ?? "",
        new RegExp(`error="insufficient_scope".*scope="${scope}"`),
      );
    }
  });
}

async function prepareHidden({ server, token }: Shared): Promise<void> {
  const other = await server.bootstrap({ org: `${shared.home.org.slug}-rival`, project: "plant", app: "reactor" });
  const otherToken = await server.token(other.credential);
  hidden.push({ what: "another organization's", values: await resourcesOf(server, other, otherToken) });
  hidden.push({ what: "a private project's", values: await privateResources(server, token) });
}

async function resourcesOf(server: Server, home: Bootstrap, token: string): Promise<Record<string, string>> {
  const members = await server.call<{ items: { user_id: string }[] }>("GET", "/v1/members", { token });
  const credentials = await server.call<{ items: { id: string }[] }>("GET", "/v1/credentials", { token });
  const invitation = await server.call("POST", "/v1/invitations", {
    token,
    json: { email: "guest@globex.example", role: "viewer" },
  });
  assert.equal(invitation.status, 201, invitation.text);
  const query = await server.call("POST", "/v1/query/saved", { token, json: { name: "theirs", sql: "select 1" } });
  assert.equal(query.status, 201, query.text);
  const json = { types: ["logs"], match: { service: "shop" } };
  const erasure = await server.call("POST", "/v1/telemetry/erasures", { token, json });
  assert.equal(erasure.status, 202, erasure.text);
  const alert = await server.call("POST", "/v1/alerts", { token, json: alertOn(String(query.body["id"])) });
  assert.equal(alert.status, 201, alert.text);
  const key = await server.call("POST", "/v1/s3/keys", { token, json: { name: "theirs" } });
  assert.equal(key.status, 201, key.text);
  const destination = { name: "theirs", url: "https://example.com/" };
  const destined = await server.call("POST", "/v1/s3/destinations", { token, json: destination });
  assert.equal(destined.status, 201, destined.text);
  const credential_id = String(credentials.body.items[0]?.id);
  const trust = await server.call("POST", `/v1/credentials/${credential_id}/trusts`, { token, json: TRUST });
  assert.equal(trust.status, 201, trust.text);
  const group = await server.call("POST", "/v1/groups", { token, json: { slug: "theirs" } });
  assert.equal(group.status, 201, group.text);
  const custom = { slug: "theirs", kind: "project", scopes: ["files:read"] };
  const role = await server.call("POST", "/v1/roles", { token, json: custom });
  assert.equal(role.status, 201, role.text);
  const audit = await server.call<{ items: { id: string }[] }>("GET", "/v1/audit?limit=1", { token });
  return {
    file_id: (await uploaded(server, token, { filename: "theirs.txt" })).id,
    query_id: String(query.body["id"]),
    alert_id: String(alert.body["id"]),
    role_id: String(role.body["id"]),
    project_id: home.project.id,
    app_id: home.app.id,
    user_id: String(members.body.items[0]?.user_id),
    group_id: String(group.body["id"]),
    credential_id,
    trust_id: String(trust.body["id"]),
    entry_id: String(audit.body.items[0]?.id),
    invitation_id: String(invitation.body["id"]),
    erasure_id: String(erasure.body["id"]),
    key_id: String(key.body["id"]),
    destination_id: String(destined.body["id"]),
    webhook_id: home.webhook.id,
    item_id: await trashItem(server, token, home.project.id),
  };
}

/** Deletes a new webhook of the project. Returns its item in the trash. */
async function trashItem(server: Server, token: string, project: string): Promise<string> {
  const made = await server.call("POST", "/v1/webhooks", { token, json: { name: "deleted", project } });
  assert.equal(made.status, 201, made.text);
  assert.equal((await server.call("DELETE", `/v1/webhooks/${String(made.body["id"])}`, { token })).status, 204);
  const trash = await server.call<{ items: { id: string }[] }>("GET", `/v1/trash?project=${project}`, { token });
  return trash.body.items[0]?.id ?? assert.fail(trash.text);
}

/** Paused, because its destination does not exist. */
function alertOn(query_id: string): object {
  const condition = { operator: ">", threshold: 0 };
  return { name: "watching", query_id, url: "https://example.com/", every_s: 60, condition, enabled: false };
}

/** Creates resources while the project is open to the organization, then hides it. */
async function privateResources(server: Server, token: string): Promise<Record<string, string>> {
  const make = async (path: string, json: object): Promise<string> => {
    const answer = await server.call("POST", path, { token, json });
    assert.equal(answer.status, 201, answer.text);
    return String(answer.body["id"]);
  };
  const project_id = await make("/v1/projects", { slug: "hidden" });
  const app_id = await make("/v1/apps", { project: project_id, slug: "hidden-app" });
  const credential_id = await make("/v1/credentials", {
    name: "of the hidden project",
    project: project_id,
    scopes: ["org:read"],
  });
  const query_id = await make("/v1/query/saved", { name: "hidden", sql: "select 1", project: project_id });
  const alert_id = await make("/v1/alerts", alertOn(query_id));
  const { id: file_id } = await uploaded(server, token, { filename: "hidden.txt", project: project_id });
  const webhook_id = await make("/v1/webhooks", { name: "hidden", project: project_id });
  const key_id = await make("/v1/s3/keys", { name: "hidden", project: project_id });
  const item_id = await trashItem(server, token, project_id);
  const members = await server.call<{ items: { user_id: string }[] }>("GET", "/v1/members", { token });
  const maintainer = `/v1/projects/${project_id}/members/${String(members.body.items[0]?.user_id)}`;
  assert.equal((await server.call("PUT", maintainer, { token, json: { role: "maintainer" } })).status, 200);
  const hide = await server.call("PATCH", `/v1/projects/${project_id}`, { token, json: { visibility: "private" } });
  assert.equal(hide.status, 200, hide.text);
  return { project_id, app_id, credential_id, query_id, alert_id, file_id, webhook_id, key_id, item_id };
}

const ADDRESSED = GUARDED.filter((operation) => operation.parameters.some((name) => name.endsWith("_id")));

for (const operation of ADDRESSED) {
  test(`${operation.id} answers for hidden resources byte for byte as for absent ones`, async () => {
    const authorization = `Bearer ${shared.token}`;
    const requestId = "same-id-for-both-requests";
    let compared = 0;
    for (const { what, values } of hidden) {
      const [own] = operation.parameters;
      if (own === undefined || values[own] === undefined) continue;
      const real = { ...absent(operation), [own]: values[own] };
      const [a, b] = await Promise.all(
        [real, absent(operation)].map((ids) => perform(operation, { authorization, "request-id": requestId }, ids)),
      );
      assert.ok(a !== undefined && b !== undefined);
      refused(b, 404, "not_found");
      assert.equal(
        a.text.replace(values[own], "*"),
        b.text.replace(absent(operation)[own] ?? "", "*"),
        `${what} ${own}`,
      );
      assert.deepEqual(fields(a), fields(b), `${what} ${own}`);
      compared += 1;
    }
    assert.ok(compared >= 1, "nothing was compared");
  });
}

/** Returns the header fields of an answer, without times and rate limits. */
function fields(answer: Answer<unknown>): [string, string][] {
  return [...answer.headers].filter(([name]) => !["date", "ratelimit"].includes(name));
}

function me(authorization: string): Promise<Answer> {
  return shared.server.call("GET", "/v1/me", { headers: { authorization } });
}

test("an Authorization field of another form is 401", async () => {
  for (const field of [
    "Bearer",
    "Bearer ",
    shared.token,
    `Token ${shared.token}`,
    `Bearer ${shared.token} x`,
    "Basic YTpi",
  ]) {
    assert.equal((await me(field)).status, 401, field);
  }
  for (const field of [`bearer ${shared.token}`, `BEARER ${shared.token}`])
    assert.equal((await me(field)).status, 200, field);
});

test("forged tokens are 401: other claims, algorithms, keys and signatures", async () => {
  const { keys } = (await shared.server.call<{ keys: { kid: string; alg: string }[] }>("GET", "/.well-known/jwks.json"))
    .body;
  const rsa = keys.find((key) => key.alg === "RS256");
  const tomorrow = Math.floor(Date.now() / 1000) + 86_400;
  const forged: Record<string, string> = {
    "a longer life": forgeJwt(shared.token, { claims: { exp: tomorrow } }),
    "more scopes": forgeJwt(shared.token, { claims: { scope: "everything" } }),
    "no signature": forgeJwt(shared.token, { signature: "" }),
    "alg none": forgeJwt(shared.token, { header: { alg: "none" }, signature: "" }),
    "alg None": forgeJwt(shared.token, { header: { alg: "None" }, signature: "" }),
    "the other key's kid": forgeJwt(shared.token, { header: { kid: rsa?.kid } }),
    "the other key's kid and algorithm": forgeJwt(shared.token, { header: { kid: rsa?.kid, alg: "RS256" } }),
    "an unknown kid": forgeJwt(shared.token, { header: { kid: "nobody" } }),
    "no kid": forgeJwt(shared.token, { header: { kid: undefined } }),
    "another typ": forgeJwt(shared.token, { header: { typ: "JWT" } }),
    "a zero signature": forgeJwt(shared.token, { signature: Buffer.alloc(64).toString("base64url") }),
    "a short signature": shared.token.slice(0, -10),
    "two parts": shared.token.split(".").slice(0, 2).join("."),
    "four parts": `${shared.token}.x`,
  };
  for (const key of keys) {
    // The classic confusion: the public key, which everybody has, as the secret of an HMAC.
    const [header, claims] = forgeJwt(shared.token, { header: { alg: "HS256", kid: key.kid } }).split(".");
    const mac = createHmac("sha256", JSON.stringify(key)).update(`${header}.${claims}`).digest("base64url");
    forged[`HS256 with the public ${key.alg} key`] = `${header}.${claims}.${mac}`;
  }
  for (const [name, token] of Object.entries(forged)) {
    const answer = await me(`Bearer ${token}`);
    assert.equal(answer.status, 401, `${name}: ${answer.text}`);
  }
  assert.equal((await me(`Bearer ${shared.token}`)).status, 200);
});

test("a token of another deployment is 401", async () => {
  const elsewhere = await sharedServer(RELAXED);
  const home = await elsewhere.bootstrap();
  refused(await me(`Bearer ${await elsewhere.token(home.credential)}`), 401, "invalid_token");
});

test("a token in the query string or the body is not accepted as authentication", async () => {
  assert.equal((await shared.server.call("GET", `/v1/organization?access_token=${shared.token}`)).status, 401);
});

test("Expect: 100-continue is refused before the body if the caller may not send it", async () => {
  const ask = (token: string | null, body: string | null): ReturnType<typeof rawRequest> =>
    rawRequest(
      shared.server.origin,
      {
        method: "POST",
        path: "/v1/ingest/logs",
        headers: {
          "content-type": "application/json",
          "content-length": body === null ? 5_000_000 : Buffer.byteLength(body),
          expect: "100-continue",
          ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        },
      },
      (request) => {
        request.flushHeaders();
        request.on("continue", () => void request.end(body ?? ""));
      },
    );
  const readOnly = await shared.server.token(shared.home.credential, "telemetry:read");
  for (const [token, status] of [
    [null, 401],
    ["garbage", 401],
    [readOnly, 403],
  ] as const) {
    const answer = await ask(token, null);
    assert.equal(answer.status, status, answer.text);
    assert.equal(answer.continued, false, "the body was not requested");
  }
  const good = await ask(shared.token, JSON.stringify({ entries: [EXAMPLES.logs] }));
  assert.equal(good.status, 202, good.text);
  assert.equal(good.continued, true);
});

test("an ingest token for one task is refused for everything else", async () => {
  const token = await shared.server.token(shared.home.credential, "telemetry:write");
  assert.equal((await ingest(shared.server, token, "logs", [EXAMPLES.logs])).status, 202);
  for (const operation of SCOPED.filter((candidate) => !candidate.scopes?.includes("telemetry:write"))) {
    refused(await perform(operation, { authorization: `Bearer ${token}` }), 403, "insufficient_scope");
  }
});
