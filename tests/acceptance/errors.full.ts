/** The reference's error table: each status on each surface where it can occur, in one form. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { basic, postForm, refused, type Answer } from "../fixtures/http.ts";
import { startServer, useSharedServer, type Bootstrap, type Server } from "../fixtures/server.ts";
import { EXAMPLES, ingest, query } from "../fixtures/telemetry.ts";

const BURST = 20;
const shared = useSharedServer();

/** A second server with limits that a test can exceed. */
const low: { server?: Server; home?: Bootstrap; token?: string } = {};

before(async () => {
  low.server = await startServer({
    settings: {
      rate_limit_per_second: 1,
      rate_limit_burst: BURST,
      query_rows_max: 1000,
      query_memory_bytes: 67_108_864,
    },
  });
  low.home = await low.server.bootstrap();
});

after(async () => low.server?.dispose());

function lowServer(): Server {
  assert.ok(low.server !== undefined);
  return low.server;
}

/** Returns a token with a separate rate limit. */
async function lowToken(): Promise<string> {
  const { credential } = await lowServer().bootstrap();
  return lowServer().token(credential);
}

function token(scope: string): Promise<string> {
  return shared.server.token(shared.home.credential, scope);
}

/** Sends requests until the rate limit refuses one. */
async function flooded(send: () => Promise<Answer<unknown>>): Promise<Answer<unknown>> {
  for (let i = 0; i < BURST + 20; i++) {
    const answer = await send();
    if (answer.status === 429) return answer;
    assert.ok(answer.status < 300, answer.text);
  }
  throw new Error("the limit was never reached");
}

function create(path: string, json: unknown): Promise<Answer> {
  return shared.server.call("POST", path, { token: shared.token, json });
}

interface Case {
  readonly status: number;
  readonly name: string;
  readonly ask: () => Promise<Answer<unknown>>;
}

const SURFACES: Readonly<Record<string, readonly Case[]>> = {
  ingest: [
    {
      status: 400,
      name: "an entry without a message",
      ask: () => ingest(shared.server, shared.token, "logs", [{ ...EXAMPLES.logs, message: undefined }]),
    },
    {
      status: 401,
      name: "no token",
      ask: () => shared.server.call("POST", "/v1/ingest/logs", { json: { entries: [] } }),
    },
    {
      status: 403,
      name: "a token without telemetry:write",
      ask: async () => ingest(shared.server, await token("telemetry:read"), "logs", []),
    },
    { status: 404, name: "a path below a type", ask: () => ingest(shared.server, shared.token, "logs/more", []) },
    { status: 405, name: "GET", ask: () => shared.server.call("GET", "/v1/ingest/logs", { token: shared.token }) },
    {
      status: 429,
      name: "more than the rate",
      ask: async () => {
        const own = await lowToken();
        return flooded(() => ingest(lowServer(), own, "logs", []));
      },
    },
  ],
  query: [
    { status: 400, name: "wrong SQL", ask: () => query(shared.server, shared.token, "selekt") },
    {
      status: 401,
      name: "no token",
      ask: () => shared.server.call("POST", "/v1/query", { json: { sql: "select 1" } }),
    },
    {
      status: 403,
      name: "a token without telemetry:read",
      ask: async () => query(shared.server, await token("telemetry:write"), "select 1"),
    },
    {
      status: 404,
      name: "a path below",
      ask: () => shared.server.call("POST", "/v1/query/more", { token: shared.token, json: { sql: "select 1" } }),
    },
    {
      status: 405,
      name: "GET",
      ask: () => shared.server.call("GET", "/v1/query?sql=select%201", { token: shared.token }),
    },
    {
      status: 429,
      name: "more than the rate",
      ask: async () => {
        const own = await lowToken();
        return flooded(() => query(lowServer(), own, "select 1"));
      },
    },
  ],
  organization: [
    { status: 400, name: "a slug in capitals", ask: () => create("/v1/projects", { slug: "NO" }) },
    { status: 401, name: "no token", ask: () => shared.server.call("GET", "/v1/organization") },
    {
      status: 403,
      name: "a token without projects:read",
      ask: async () => shared.server.call("GET", "/v1/projects", { token: await token("org:read") }),
    },
    {
      status: 404,
      name: "an absent project",
      ask: () => shared.server.call("GET", "/v1/projects/nowhere", { token: shared.token }),
    },
    {
      status: 405,
      name: "PUT on a list",
      ask: () => shared.server.call("PUT", "/v1/projects", { token: shared.token, json: {} }),
    },
    { status: 409, name: "a used slug", ask: () => create("/v1/projects", { slug: "shop" }) },
    {
      status: 429,
      name: "more than the rate",
      ask: async () => {
        const own = await lowToken();
        return flooded(() => lowServer().call("GET", "/v1/organization", { token: own }));
      },
    },
  ],
  identity: [
    {
      status: 400,
      name: "no grant_type",
      ask: () => postForm(shared.server.origin, "/oauth/token", { ...shared.home.credential }),
    },
    {
      status: 401,
      name: "an unknown client",
      ask: () =>
        postForm(
          shared.server.origin,
          "/oauth/token",
          { grant_type: "client_credentials" },
          basic("nobody", "nothing"),
        ),
    },
    { status: 405, name: "GET", ask: () => shared.server.call("GET", "/oauth/token") },
    {
      status: 429,
      name: "many failed sign-ins",
      ask: async () => {
        const fields = { grant_type: "client_credentials", client_id: "mrc_guessed", client_secret: "guess" };
        for (let i = 0; i < 10; i++) await postForm(shared.server.origin, "/oauth/token", fields);
        return postForm(shared.server.origin, "/oauth/token", fields);
      },
    },
  ],
};

for (const [surface, cases] of Object.entries(SURFACES)) {
  for (const { status, name, ask } of cases) {
    // Every call of these tests checks the form of the answer, Retry-After, Allow and the challenge.
    test(`${surface}: ${name} is ${status}`, async () => {
      const answer = await ask();
      assert.equal(answer.status, status, answer.text);
    });
  }
}

test("each status of the reference's table has a case on each surface where it can occur", () => {
  // 5xx: databases.full.ts and full-disk.full.ts. Queries and token requests have no conflicts and no absent resources.
  const applicable: Record<string, readonly number[]> = {
    ingest: [400, 401, 403, 404, 429],
    query: [400, 401, 403, 404, 429],
    organization: [400, 401, 403, 404, 409, 429],
    identity: [400, 401, 429],
  };
  for (const [surface, statuses] of Object.entries(applicable)) {
    for (const status of statuses)
      assert.ok(
        SURFACES[surface]?.some((one) => one.status === status),
        `${surface} ${status}`,
      );
  }
});

test("an unknown type is refused, and the error names the types", async () => {
  for (const type of ["events", "LOGS", "log", "logs%20", "__proto__"]) {
    const answer = await ingest(shared.server, shared.token, type, []);
    // The reference lists a wrong path under 400 and an absent resource under 404.
    assert.ok(answer.status === 400 || answer.status === 404, answer.text);
  }
});

test("after Retry-After the caller is served again, and others never waited", async () => {
  const own = await lowToken();
  const ask = (bearer: string): Promise<Answer> => lowServer().call("GET", "/v1/me", { token: bearer });
  const answer = await flooded(() => ask(own));
  refused(answer, 429, "rate_limited");
  assert.match(answer.headers.get("ratelimit") ?? "", /r=0/);
  assert.equal((await ask(await lowToken())).status, 200);
  await delay(Number(answer.headers.get("retry-after")) * 1000);
  assert.equal((await ask(own)).status, 200);
});

test("answers within the limit say how much is left", async () => {
  const own = await lowToken();
  const left = async (): Promise<number> => {
    const { headers } = await lowServer().call("GET", "/v1/me", { token: own });
    assert.match(headers.get("ratelimit-policy") ?? "", new RegExp(`q=${BURST}`));
    return Number(/r=([0-9]+)/.exec(headers.get("ratelimit") ?? "")?.[1]);
  };
  const first = await left();
  assert.ok(first < BURST && first >= BURST - 2);
  assert.ok((await left()) <= first);
});

test("a result over the server's limit of rows is a clear 400", async () => {
  const own = await lowToken();
  assert.equal((await query(lowServer(), own, "select range as n from range(1000)")).status, 200);
  refused(await query(lowServer(), own, "select range as n from range(1001)"), 400, "query_too_large");
});

test("a query over the limit of memory is a clear 400, and the next one works", async () => {
  const own = await lowToken();
  const greedy =
    "select count(*) from (select list(a.range) over (order by a.range) as l from range(1000000) a) where len(l) > 5";
  const answer = await query(lowServer(), own, greedy);
  assert.equal(answer.status, 400, answer.text);
  assert.ok(
    ["query_memory", "query_timeout"].includes((answer as unknown as Answer<{ code: string }>).body.code),
    answer.text,
  );
  assert.equal((await query(lowServer(), own, "select 1")).status, 200);
});

test("a valid Request-Id is kept, any other is replaced", async () => {
  const own = `test-${randomUUID()}`;
  for (const path of ["/v1/me", "/nowhere", "/health", "/.well-known/jwks.json"]) {
    const kept = await shared.server.call("GET", path, { headers: { "request-id": own } });
    assert.equal(kept.headers.get("request-id"), own, path);
  }
  for (const id of ["x y", "x".repeat(300), "", '"quoted"', "<script>"]) {
    const { headers } = await shared.server.call("GET", "/v1/me", {
      token: shared.token,
      headers: { "request-id": id },
    });
    assert.notEqual(headers.get("request-id"), id);
    assert.match(headers.get("request-id") ?? "", /^[A-Za-z0-9._-]{8,}$/);
  }
  const ids = await Promise.all(Array.from({ length: 20 }, () => shared.server.call("GET", "/livez")));
  assert.equal(new Set(ids.map(({ headers }) => headers.get("request-id"))).size, 20);
});

test("unknown paths are 404, with any content", async () => {
  const paths = [
    "/nowhere",
    "/v1",
    "/v1/",
    "/v1/ingest",
    "/v3/none",
    "/%00",
    "/..%2f..%2fetc/passwd",
    "/v1/projects/%ff",
    "/a".repeat(500),
    "/v1//projects",
  ];
  for (const path of paths) {
    const answer = await shared.server.call("GET", path, { token: shared.token });
    assert.ok(answer.status === 404 || answer.status === 400, `${path}: ${answer.status}`);
  }
});

test("a problem does not repeat a query string", async () => {
  const { text } = await shared.server.call("GET", "/v1/projects?cursor=hunter2secret", { token: shared.token });
  assert.ok(!text.includes("hunter2secret"), text);
});

test("unknown and invalid query parameters are 400 with a pointer", async () => {
  const at = (query: string): Promise<Answer> =>
    shared.server.call("GET", `/v1/projects?${query}`, { token: shared.token });
  refused(await at("limit=0"), 400, "invalid_parameter", ["/limit"]);
  refused(await at("limit=101"), 400, "invalid_parameter", ["/limit"]);
  refused(await at("limit=ten"), 400, "invalid_parameter", ["/limit"]);
  refused(await at("cursor=nonsense"), 400, "invalid_parameter", ["/cursor"]);
  refused(await at("visibility=private"), 400, "invalid_parameter", ["/visibility"]);
});

test("health needs no token and answers ok", async () => {
  for (const path of ["/health", "/readyz", "/livez"]) {
    const { status, body } = await shared.server.call("GET", path);
    assert.equal(status, 200);
    assert.equal(body["status"], "ok");
  }
});

test("GET /.well-known/mooring has the address of every service", async () => {
  const { status, body } = await shared.server.call("GET", "/.well-known/mooring");
  assert.equal(status, 200);
  const names = [
    "identity_url",
    "ingest_url",
    "query_url",
    "storage_url",
    "registry_domain",
    "s3_endpoint",
    "webhooks_url",
    "portal_url",
  ];
  for (const name of names) assert.equal(typeof body[name], "string", name);
  assert.deepEqual(
    names.map((name) => body[name]),
    names.map((name) => shared.home.addresses[name]),
  );
  for (const name of ["otlp_grpc_url", "syslog_tcp_address", "syslog_tls_address", "syslog_udp_address"])
    assert.ok(body[name] === null || typeof body[name] === "string", name);
});
