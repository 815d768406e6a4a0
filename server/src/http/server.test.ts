import assert from "node:assert/strict";
import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import { after, before, test } from "node:test";
import { pino } from "pino";
import Type from "typebox";
import { route } from "@mooring/contract";
import { Problem } from "#kernel/problem.ts";
import { mountRoute, openListener, type HttpHost, type Surface } from "./index.ts";
import { bearer, credentialOf, startTestServer, type TestServer } from "./testing/host.ts";

const row = { tag: "t", summary: "s", problems: [], status: 200 } as const;
const Named = Type.Object({ name: Type.String() }, { additionalProperties: false });
const ROWS = {
  read: route({
    ...row,
    operationId: "read",
    method: "GET",
    path: "/things/{thing_id}",
    permission: "apps:read",
    params: Type.Object({ thing_id: Type.String() }),
  }),
  make: route({
    ...row,
    operationId: "make",
    method: "POST",
    path: "/things",
    permission: "apps:write",
    body: Named,
    status: 201,
    idempotent: true,
  }),
  secret: route({ ...row, operationId: "secret", method: "GET", path: "/secret", permission: "audit:read" }),
  open: route({
    ...row,
    operationId: "open",
    method: "GET",
    path: "/open",
    permission: "public",
    publicReason: "test",
  }),
  slow: route({
    ...row,
    operationId: "slow",
    method: "GET",
    path: "/slow",
    permission: "public",
    publicReason: "test",
  }),
  openMake: route({
    ...row,
    operationId: "openMake",
    method: "POST",
    path: "/open",
    permission: "public",
    publicReason: "test",
    body: Named,
  }),
  bug: route({ ...row, operationId: "bug", method: "GET", path: "/bug", permission: "public", publicReason: "test" }),
};

let server: TestServer;
let url: string;
let made = 0;
let finishSlow: () => void = () => undefined;
let slowStarts: () => void = () => undefined;
const slowStarted = new Promise<void>((resolve) => (slowStarts = resolve));

function surfaceOf(host: HttpHost): Surface {
  return {
    name: "test",
    mount: (app) => {
      mountRoute(app, host, ROWS.read, async ({ params }) => {
        if (params.thing_id !== "1") throw new Problem("not_found", "There is no such thing.");
        return { id: "1" } as never;
      });
      mountRoute(app, host, ROWS.make, async ({ body }) => {
        if (body.name === "taken") throw new Problem("duplicate_slug", "The name is taken.");
        return { name: body.name, client_secret: `s${++made}` } as never;
      });
      mountRoute(app, host, ROWS.secret, async () => ({}) as never);
      mountRoute(app, host, ROWS.open, async (_input, { ip }) => ({ ip }) as never);
      mountRoute(app, host, ROWS.openMake, async () => ({}) as never);
      mountRoute(app, host, ROWS.slow, async () => {
        const answer = new Promise<void>((resolve) => (finishSlow = resolve));
        slowStarts();
        await answer;
        return { done: true } as never;
      });
      mountRoute(app, host, ROWS.bug, async () => {
        throw new Error("the password is hunter2");
      });
    },
  };
}

before(async () => {
  server = await startTestServer({
    principals: { good: credentialOf("org_1", ["apps:read", "apps:write"]) },
    mount: surfaceOf,
  });
  url = server.url;
});

after(() => server.stop());

async function problemAt(
  path: string,
  init: RequestInit = {},
): Promise<Record<string, unknown> & { headers: Headers }> {
  const response = await fetch(url + path, init);
  assert.match(response.headers.get("content-type") ?? "", /^application\/problem\+json/);
  const problem = (await response.json()) as Record<string, unknown>;
  assert.equal(problem["status"], response.status);
  assert.equal(problem["request_id"], response.headers.get("request-id"));
  return { ...problem, headers: response.headers };
}

test("without credentials: 401 and a bare challenge; with a bad token: error=invalid_token", async () => {
  const none = await problemAt("/things/1");
  assert.equal(none["code"], "unauthorized");
  assert.equal(none.headers.get("www-authenticate"), 'Bearer realm="mooring"');
  const bad = await problemAt("/things/1", { headers: bearer("bad") });
  assert.equal(bad["status"], 401);
  assert.match(bad.headers.get("www-authenticate") ?? "", /error="invalid_token"/);
  assert.equal((await problemAt("/things/1", { headers: { authorization: "Basic eA==" } }))["code"], "unauthorized");
});

test("a fault of the server during authentication is 503 with Retry-After, never 401", async () => {
  const away = await problemAt("/things/1", { headers: bearer("away") });
  assert.equal(away["status"], 503);
  assert.equal(away.headers.get("retry-after"), "1");
  assert.equal(away.headers.get("www-authenticate"), null);
});

test("a missing scope is 403 with its name, before the body is read", async () => {
  const refused = await problemAt("/secret", { headers: bearer("good") });
  assert.equal(refused["status"], 403);
  assert.equal(refused["required_scope"], "audit:read");
  assert.match(refused.headers.get("www-authenticate") ?? "", /error="insufficient_scope", scope="audit:read"/);
});

test("an unknown path is 404; another method of a known path is 405 with Allow", async () => {
  assert.equal((await problemAt("/nothing"))["code"], "not_found");
  const other = await problemAt("/things/1", { method: "DELETE" });
  assert.equal(other["status"], 405);
  assert.equal(other.headers.get("allow"), "GET, HEAD");
});

test("a valid Request-Id of the caller is kept, another one is replaced", async () => {
  const kept = await fetch(`${url}/open`, { headers: { "request-id": "my-request-0001" } });
  assert.equal(kept.headers.get("request-id"), "my-request-0001");
  const replaced = await fetch(`${url}/open`, { headers: { "request-id": 'x" injected' } });
  assert.match(replaced.headers.get("request-id") ?? "", /^req_[0-9a-z]{26}$/);
});

test("a bug is a 500 without any detail", async () => {
  const problem = await problemAt("/bug");
  assert.equal(problem["status"], 500);
  assert.doesNotMatch(JSON.stringify(problem), /hunter2/);
});

test("bodies: wrong type 415, invalid JSON 400, unknown members 400 with pointer, too large 413", async () => {
  const post = (body: string, type = "application/json") =>
    problemAt("/things", { method: "POST", body, headers: { ...bearer("good"), "content-type": type } });
  assert.equal((await post("<a/>", "application/xml"))["status"], 415);
  assert.equal((await post("{"))["code"], "invalid_body");
  assert.equal((await post('{"name":"a","__proto__":{"x":1}}'))["code"], "invalid_body");
  assert.equal((await post(""))["code"], "invalid_body");
  assert.deepEqual((await post('{"name":"a","nam":"b"}'))["errors"], [
    { pointer: "/nam", detail: "is not a member of this object" },
  ]);
  assert.equal((await post(JSON.stringify({ name: "x".repeat(1024 * 1024) })))["status"], 413);
});

test("without a token, only a small body of an existing operation is read", async () => {
  const post = (path: string, bytes: number) =>
    problemAt(path, {
      method: "POST",
      body: JSON.stringify({ nam: "x".repeat(bytes) }),
      headers: { "content-type": "application/json" },
    });
  assert.equal((await post("/open", 15 * 1024))["status"], 400);
  assert.equal((await post("/open", 16 * 1024))["status"], 413);
  for (const path of ["/nothing", "/secret"]) {
    const outcome = await new Promise<string>((resolve, reject) => {
      const headers = { expect: "100-continue", "content-type": "application/json", "content-length": "100" };
      const call = httpRequest(url + path, { method: "POST", headers });
      call.on("continue", () => resolve("continue"));
      call.on("response", (response) => resolve(String(response.statusCode)));
      call.on("error", reject);
      call.flushHeaders();
    });
    assert.equal(outcome, path === "/secret" ? "405" : "404");
  }
});

test("before the listener serves, a request with a body waits, and others get 503 at once", async () => {
  const listener = await openListener("127.0.0.1:0");
  const url = `http://${listener.address}/`;
  let isServed = false;
  const posted = fetch(url, { method: "POST", body: "early" }).then(async (answer) => {
    assert.ok(isServed, "it was answered during the start");
    return answer.text();
  });
  const asked = await fetch(url);
  assert.deepEqual([asked.status, asked.headers.get("retry-after")], [503, "1"]);
  isServed = true;
  listener.serve((request, response) => void request.pipe(response));
  assert.equal(await posted, "early");
  await listener.stop(0);
});

test("a header that arrives byte by byte is cut off", async () => {
  const listener = await openListener("127.0.0.1:0", { headersTimeoutMs: 300 });
  const [host = "", port = ""] = listener.address.split(":");
  const socket = connect(Number(port), host);
  const ended = new Promise<string>((resolve) => {
    let text = "";
    socket.on("data", (bytes: Buffer) => (text += bytes.toString()));
    socket.on("error", () => undefined);
    socket.on("close", () => resolve(text));
  });
  socket.write("GET / HTTP/1.1\r\nHost: x\r\n");
  let sent = 0;
  const drip = setInterval(() => sent++ < 100 && socket.write("a"), 50);
  const answer = await ended;
  clearInterval(drip);
  assert.match(answer, /^HTTP\/1\.1 408 /);
  assert.ok(sent < 100, "the server did not wait for the last byte");
  await listener.stop(0);
});

test("a sender that disconnects during a body is not logged as our error", async () => {
  const lines: string[] = [];
  const log = pino({ level: "debug" }, { write: (line) => void lines.push(line) });
  const watched = await startTestServer({
    principals: { good: credentialOf("org_1", ["apps:write"]) },
    mount: surfaceOf,
    log,
  });
  const headers = { ...bearer("good"), "content-type": "application/json", "content-length": "100" };
  const call = httpRequest(`${watched.url}/things`, {
    method: "POST",
    headers: { ...headers, expect: "100-continue" },
  });
  call.on("error", () => undefined);
  call.on("continue", () => call.write("{", () => call.destroy()));
  call.flushHeaders();
  await new Promise((resolve) => call.on("close", resolve));
  await fetch(`${watched.url}/bug`);
  await watched.stop(5000); // Once its connection is closed, its errors have been logged.
  assert.ok(
    lines.some((line) => line.includes("hunter2")),
    "a bug is logged",
  );
  assert.ok(
    lines.every((line) => !line.includes('"aborted"')),
    lines.join(""),
  );
});

test("a parameter that is not in the contract is refused by name", async () => {
  const problem = await problemAt("/things/1?limt=3", { headers: bearer("good") });
  assert.equal(problem["status"], 400);
  assert.deepEqual(problem["errors"], [{ pointer: "/limt", detail: "is not a parameter of this operation" }]);
});

test("an idempotent POST runs once, and the repetition shows no secret", async () => {
  const init = (key: string) => ({
    method: "POST",
    body: '{"name":"a"}',
    headers: { ...bearer("good"), "content-type": "application/json", "idempotency-key": key },
  });
  const first = await fetch(`${url}/things`, init("k1"));
  assert.equal(first.status, 201);
  assert.match(((await first.json()) as { client_secret: string }).client_secret, /^s\d+$/);
  const again = await fetch(`${url}/things`, init("k1"));
  assert.equal(again.status, 201);
  assert.equal(again.headers.get("idempotency-replayed"), "true");
  assert.deepEqual(await again.json(), { name: "a", client_secret: null, replayed: true });
  assert.equal((await problemAt("/things", init("has space")))["code"], "invalid_request");
});

test("an outcome that can't be recorded is logged, and the caller still gets the answer", async () => {
  const lines: string[] = [];
  const away = async (): Promise<never> => Promise.reject(new Error("the records can't be written"));
  const watched = await startTestServer({
    principals: { good: credentialOf("org_1", ["apps:write"]) },
    mount: surfaceOf,
    log: pino({ level: "error" }, { write: (line) => void lines.push(line) }),
    idempotency: {
      begin: async (keyHash) => ({ claim: { keyHash, owner: "o" } }),
      during: async (_claim, _status, run) => run(),
      complete: away,
      abandon: away,
      leaving: async () => {},
    },
  });
  const make = async (name: string): Promise<Response> =>
    fetch(`${watched.url}/things`, {
      method: "POST",
      body: JSON.stringify({ name }),
      headers: { ...bearer("good"), "content-type": "application/json", "idempotency-key": name },
    });
  const done = await make("new");
  assert.equal(done.status, 201);
  assert.match(((await done.json()) as { client_secret: string }).client_secret, /^s\d+$/);
  const refused = await make("taken");
  assert.equal(((await refused.json()) as { code: string }).code, "duplicate_slug");
  assert.equal(lines.filter((line) => line.includes("cannot record the outcome of an idempotency key")).length, 2);
  await watched.stop();
});

test("Expect: 100-continue: a refusal is sent before the body is requested", async () => {
  const outcome = await new Promise<string>((resolve, reject) => {
    const call = httpRequest(`${url}/things`, {
      method: "POST",
      headers: { expect: "100-continue", "content-type": "application/json", "content-length": "12" },
    });
    call.on("continue", () => resolve("continue"));
    call.on("response", (response) => resolve(String(response.statusCode)));
    call.on("error", reject);
    call.flushHeaders();
  });
  assert.equal(outcome, "401");
});

test("Expect: 100-continue: an allowed request gets 100 Continue, and an answer", async () => {
  const status = await new Promise<number>((resolve, reject) => {
    const body = '{"name":"a"}';
    const call = httpRequest(`${url}/things`, {
      method: "POST",
      headers: {
        ...bearer("good"),
        expect: "100-continue",
        "content-type": "application/json",
        "content-length": String(body.length),
      },
    });
    call.on("continue", () => call.end(body));
    call.on("response", (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    call.on("error", reject);
    call.flushHeaders();
  });
  assert.equal(status, 201);
});

test("forwarded addresses count only from configured proxies", async () => {
  const response = await fetch(`${url}/open`, { headers: { "x-forwarded-for": "203.0.113.9" } });
  assert.deepEqual(await response.json(), { ip: "127.0.0.1" });
});

test("a second listener on the same address is an error", async () => {
  await assert.rejects(
    openListener(server.address),
    /cannot listen on 127\.0\.0\.1:\d+: another process listens there/,
  );
});

test("a stop answers running requests, refuses new connections, and cuts off endless requests", async () => {
  const inFlight = fetch(`${url}/slow`);
  await slowStarted;
  const stopped = server.stop(5000);
  finishSlow();
  assert.deepEqual(await (await inFlight).json(), { done: true });
  await stopped;
  const [host, port] = server.address.split(":");
  await assert.rejects(
    new Promise((_resolve, reject) => {
      connect({ host: host ?? "", port: Number(port) }).on("error", reject);
    }),
    /ECONNREFUSED/,
  );
});
