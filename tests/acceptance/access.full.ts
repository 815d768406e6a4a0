/** Access to every published operation: no token, invalid tokens, too few scopes, and hidden resources. */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { rawRequest, refused, type Answer, type Problem } from "../fixtures/http.ts";
import { forgeJwt } from "../fixtures/jwt.ts";
import { homesOf, oneOfEach } from "../fixtures/objects.ts";
import { absentValues, bodyOf, queryOf, type Values } from "../fixtures/operation-requests.ts";
import { pathOf, publishedOperations, type Operation } from "../fixtures/operations.ts";
import { ALL_SCOPES } from "../fixtures/scopes.ts";
import { RELAXED, sharedServer, useSharedServer, type Client, type Server, type Shared } from "../fixtures/server.ts";
import { EXAMPLES, ingest } from "../fixtures/telemetry.ts";

/** Real IDs that a token of the first organization can't distinguish from absent ones. */
interface Hidden {
  readonly what: string;
  readonly values: Values;
}

const hidden: Hidden[] = [];
const shared = useSharedServer(prepareHidden);

const OPERATIONS = publishedOperations();
const GUARDED = OPERATIONS.filter((operation) => operation.scopes !== null);
const ADDRESSED = GUARDED.filter((operation) => operation.parameters.some((name) => name.endsWith("_id")));
const FIRST_PARAMETERS = new Set(ADDRESSED.map(idOf));

/** Returns the first parameter that names a resource. */
function idOf({ parameters }: (typeof OPERATIONS)[number]): string {
  return parameters.find((name) => name.endsWith("_id")) ?? "";
}

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

function perform(
  operation: Operation,
  headers: Record<string, string>,
  values = absentValues(operation),
): Promise<Answer<Problem>> {
  const json = bodyOf(operation);
  return shared.server.call<Problem>(operation.method, pathOf(operation, values) + queryOf(operation), {
    headers,
    ...(json === undefined ? {} : { json }),
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

/** Creates an object for each parameter. The server of this test sends nothing to this address. */
function values(server: Server, token: string, parameters: Iterable<string>, project: string): Promise<Values> {
  return oneOfEach({ server, token, url: "https://example.com/" }, parameters, project);
}

async function prepareHidden({ server, token }: Shared): Promise<void> {
  const other = await server.bootstrap({ org: `${shared.home.org.slug}-rival`, project: "plant", app: "reactor" });
  const otherToken = await server.token(other.credential);
  const theirs = await values(server, otherToken, FIRST_PARAMETERS, other.project.id);
  hidden.push({ what: "another organization's", values: theirs });
  hidden.push({ what: "a private project's", values: await privateResources(server, token) });
}

/** Creates resources while the project is open to the organization, then hides it. */
async function privateResources(server: Server, token: string): Promise<Values> {
  const made = await server.call("POST", "/v1/projects", { token, json: { slug: "hidden" } });
  assert.equal(made.status, 201, made.text);
  const project_id = String(made.body["id"]);
  const ofProjects = [...FIRST_PARAMETERS].filter((name) => homesOf(name).project);
  const ours = await values(server, token, ofProjects, project_id);
  const members = await server.call<{ items: { user_id: string }[] }>("GET", "/v1/members", { token });
  const maintainer = `/v1/projects/${project_id}/members/${String(members.body.items[0]?.user_id)}`;
  assert.equal((await server.call("PUT", maintainer, { token, json: { role: "maintainer" } })).status, 200);
  const hide = await server.call("PATCH", `/v1/projects/${project_id}`, { token, json: { visibility: "private" } });
  assert.equal(hide.status, 200, hide.text);
  return ours;
}

for (const operation of ADDRESSED) {
  test(`${operation.id} answers for hidden resources byte for byte as for absent ones`, async () => {
    const authorization = `Bearer ${shared.token}`;
    const requestId = "same-id-for-both-requests";
    let compared = 0;
    for (const { what, values } of hidden) {
      const own = idOf(operation);
      if (values[own] === undefined) continue;
      const real = { ...absentValues(operation), [own]: values[own] };
      const [a, b] = await Promise.all(
        [real, absentValues(operation)].map((ids) =>
          perform(operation, { authorization, "request-id": requestId }, ids),
        ),
      );
      assert.ok(a !== undefined && b !== undefined);
      refused(b, 404, "not_found");
      assert.equal(
        a.text.replace(values[own], "*"),
        b.text.replace(absentValues(operation)[own] ?? "", "*"),
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
